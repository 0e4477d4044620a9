// Reconciles all accounts of the host: when to run, what to watch, what to report.
import { errorMessage, type Informer, type ReconcileContext, type ReconcileResult } from "../../runtime";
import type { ControllerContext } from "../controller-context";
import { NODES, USERS, type UserObject } from "../kinds";
import { NodeConditions } from "../node-conditions";
import { ownNode } from "../own-node";
import { AccountApplier, asRefusal, type ApplyOutcome } from "./apply";
import { FolderWatches, type WatchedFolder } from "./folder-watches";
import { resolveLogins, type Login, type LoginResult, type Refusal, nextExpiry } from "../../../api/login";
import { SUDOERS_FILE } from "./sudoers";
import { Tampering } from "./tampering";

const RETRY_MS = 5000;
const POLL_MS = 60_000;
/** Keys expire by the wall clock, which may be set, as after a boot with a wrong one: it is read again at least this often. */
const MAX_EXPIRY_WAIT_MS = 60_000;
/** The condition of the Node that is True while its accounts do not match the Users. */
export const LOGINS_CONDITION = "LoginsOutdated";

/** Keeps the accounts of the host in line with the Users: all accounts in one pass, and the homes that may have changed. */
export class UsersReconciler {
  readonly #context: ControllerContext;
  readonly #users: Informer<UserObject>;
  readonly #applier: AccountApplier;
  readonly #watches: FolderWatches;
  readonly #conditions: NodeConditions;
  readonly #tampering: Tampering;
  /** Logins whose homes could not be repaired. */
  readonly #broken = new Map<string, Refusal>();
  #refused: ReadonlyMap<string, Refusal> = new Map();
  #results: ReadonlyMap<string, LoginResult> | undefined;
  #dirty: Set<string> | "all" = "all";
  #homes = new Set<string>();
  /** The wall clock at the last pass. */
  #lastNow: number | undefined;
  #onHostChange: () => void = () => {};
  #onApplied: () => void = () => {};

  constructor(context: ControllerContext, all: Informer<UserObject>) {
    this.#context = context;
    this.#users = all;
    const { root, settings, manager, client } = context;
    const log = manager.log.with({ controller: "users" });
    this.#applier = new AccountApplier({
      root,
      homesFolder: settings.homesFolder,
      proc: settings.proc,
      endSessions: settings.endSessions,
      log,
    });
    this.#watches = new FolderWatches(
      root.mountPath,
      (subject) => {
        // Files of the system can be changed by root alone.
        if (subject === "") this.#onHostChange();
        else this.#tampering.touched(subject);
      },
      log,
    );
    this.#tampering = new Tampering(manager.clock, (login) => {
      this.#markDirty(login);
      this.#onHostChange();
    });
    this.#conditions = new NodeConditions(client, "fleetwright-agent-users", [LOGINS_CONDITION]);
  }

  /** The account, or the refusal, of every User by its name. */
  results(): ReadonlyMap<string, LoginResult> {
    return (this.#results ??= resolveLogins(this.#users.list()));
  }

  /** Why the account of a login is not in place on this node; undefined if it is. */
  failureOf(login: string): Refusal | undefined {
    return this.#refused.get(login) ?? this.#broken.get(login);
  }

  /** Calls back when files of ours were touched on the host. */
  onHostChange(listener: () => void): void {
    this.#onHostChange = listener;
  }

  /** Calls back after every pass over the accounts. */
  onApplied(listener: () => void): void {
    this.#onApplied = listener;
  }

  /** To be called when a User changed. */
  userChanged(login: string | undefined): void {
    this.#results = undefined;
    this.#markDirty(login);
  }

  #markDirty(login: string | undefined): void {
    if (login !== undefined && this.#dirty !== "all") this.#dirty.add(login);
  }

  async reconcile({ signal, clock, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const now = clock.now();
    const logins = this.#logins();
    this.#markExpired(logins, now);
    const dirty = this.#dirty;
    this.#dirty = new Set();
    // An agent that died in between may have left files without their labels.
    if (dirty === "all")
      for (const file of managedFiles(this.#context.settings.homesFolder, logins))
        this.#context.labels.written(file);
    // Before the files are read, so that no later change is missed.
    this.#watches.keep(systemFolders());
    let outcome: ApplyOutcome;
    try {
      outcome = await this.#applier.apply(logins, dirty, now).finally(() => this.#context.labels.restore());
    } catch (error) {
      this.#restoreDirty(dirty);
      await this.#writeCondition(asRefusal(error), signal).catch(() => {});
      throw error;
    }
    this.#watchHomes(logins, outcome);
    this.#recordFailures(outcome, logins);
    this.#recordFindings(outcome);
    await this.#writeCondition(undefined, signal).catch((error: unknown) => {
      log.warn("Could not write the node's condition.", { cause: errorMessage(error) });
    });
    return this.#nextPass(logins, outcome, now, clock.now());
  }

  /** Marks the homes whose keys in force are others now than at the last pass, also if the clock was set back. */
  #markExpired(logins: readonly Login[], now: number): void {
    const [from, to] = [Math.min(this.#lastNow ?? now, now), Math.max(this.#lastNow ?? now, now)];
    this.#lastNow = now;
    for (const { name, keys } of logins)
      if (keys.some(({ notAfter }) => notAfter !== undefined && notAfter > from && notAfter <= to))
        this.#markDirty(name);
  }

  #restoreDirty(dirty: Set<string> | "all"): void {
    if (dirty === "all") this.#dirty = "all";
    else for (const name of dirty) this.#markDirty(name);
  }

  /** At shutdown of the agent: with `--on-shutdown=lock` all keys are removed, otherwise accounts stay as they are. */
  async shutDown(): Promise<void> {
    this.#watches.close();
    this.#tampering.close();
    const { settings, manager } = this.#context;
    if (settings.onShutdown !== "lock" || !this.#users.hasSynced) return;
    const logins = this.#logins();
    await this.#applier.apply(logins, "all", manager.clock.now(), { locked: true });
    manager.log.info("Locked all accounts, as set by --on-shutdown.", { accounts: logins.length });
  }

  #logins(): Login[] {
    return [...this.results().values()].flatMap(({ login }) => (login === undefined ? [] : [login]));
  }

  #watchHomes(logins: readonly Login[], { updated }: ApplyOutcome): void {
    const { homesFolder } = this.#context.settings;
    const names = new Set(logins.map(({ name }) => name));
    for (const name of this.#homes)
      if (!names.has(name))
        for (const { folder } of homeFolders(homesFolder, name)) this.#watches.drop(folder);
    this.#homes = names;
    this.#tampering.keep(names);
    const begun = this.#watches.keep(
      [...names].filter((name) => updated.has(name)).flatMap((name) => homeFolders(homesFolder, name)),
    );
    // A change between reading a home and watching it is found by reading it again.
    for (const name of begun) this.#markDirty(name);
    if (begun.size > 0) this.#onHostChange();
  }

  #recordFailures({ refused, updated }: ApplyOutcome, logins: readonly Login[]): void {
    this.#refused = refused;
    for (const [name, failure] of updated)
      if (failure === undefined) this.#broken.delete(name);
      else this.#broken.set(name, failure);
    const names = new Set(logins.map(({ name }) => name));
    for (const name of this.#broken.keys()) if (!names.has(name)) this.#broken.delete(name);
    this.#onApplied();
  }

  #recordFindings({ findings }: ApplyOutcome): void {
    const { recorder, settings } = this.#context;
    for (const [login, found] of findings) {
      if (login !== "") this.#tampering.undone(login);
      const note = `Managed files on ${settings.nodeName} were changed by someone else and restored: ${found.join("; ")}.`;
      const what = { type: "Warning", reason: "TamperingUndone", action: "Restore", note } as const;
      const user = [...this.results()].find(([, result]) => result.login?.name === login)?.[0];
      const object = user === undefined ? undefined : this.#users.get(user);
      if (object !== undefined) recorder.record(USERS, object, what);
      else recorder.record(NODES, { metadata: { name: settings.nodeName } }, what);
      this.#context.manager.log.warn("Managed files were changed by someone else and restored.", {
        login,
        found,
      });
    }
  }

  async #writeCondition(refusal: Refusal | undefined, signal: AbortSignal): Promise<void> {
    const { manager, settings } = this.#context;
    const node = ownNode(manager.cache, settings.nodeName).get(settings.nodeName);
    if (node === undefined) return;
    const state = refusal === undefined ? undefined : { bad: true, ...refusal };
    await this.#conditions.write(node, { [LOGINS_CONDITION]: state }, signal);
  }

  /** When to look again. `passed` is the time by which this pass wrote keys: what expired since is due at once. */
  #nextPass(
    logins: readonly Login[],
    { updated }: ApplyOutcome,
    passed: number,
    now: number,
  ): ReconcileResult | undefined {
    const failed = [...updated].filter(([, failure]) => failure !== undefined).map(([name]) => name);
    for (const name of failed) this.#markDirty(name);
    const expiring = logins.filter(({ keys }) => keys.some(({ notAfter }) => notAfter !== undefined));
    const next = Math.min(...expiring.map((login) => nextExpiry(login, passed) ?? Infinity));
    if (this.#watches.incomplete) this.#dirty = "all";
    const waits = [
      ...(failed.length === 0 ? [] : [RETRY_MS]),
      ...(this.#watches.incomplete ? [POLL_MS] : []),
      ...(expiring.length === 0 ? [] : [Math.min(Math.max(0, next - now), MAX_EXPIRY_WAIT_MS)]),
    ];
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
  }
}

function systemFolders(): WatchedFolder[] {
  return [
    { folder: "/etc", names: ["passwd", "shadow", "group", "gshadow", "sudoers.d"], subject: "" },
    { folder: "/etc/sudoers.d", names: [SUDOERS_FILE], subject: "" },
  ];
}

function managedFiles(homesFolder: string, logins: readonly Login[]): string[] {
  return [
    ...["passwd", "shadow", "group", "gshadow", `sudoers.d/${SUDOERS_FILE}`].map((name) => `/etc/${name}`),
    ...logins.flatMap(({ name }) =>
      ["", "/.ssh", "/.ssh/authorized_keys"].map((file) => `${homesFolder}/${name}${file}`),
    ),
  ];
}

function homeFolders(homesFolder: string, name: string): WatchedFolder[] {
  const home = `${homesFolder}/${name}`;
  return [
    { folder: home, names: [".ssh"], subject: name },
    { folder: `${home}/.ssh`, names: ["authorized_keys", "authorized_keys2"], subject: name },
  ];
}
