import { errorMessage, type Informer, type ReconcileContext, type ReconcileResult } from "../../runtime";
import { NODES, USERS } from "../kinds";
import { NodeConditions, ownNode } from "../own-node";
import type { Workplace } from "../part";
import { nextExpiry } from "./authorized-keys";
import { AccountKeeper, asRefusal, type PassOutcome } from "./keeper";
import { judgeUsers, type Judged, type Login, type Refusal, type UserObject } from "./login";
import { SUDOERS_FILE } from "./sudoers";
import { FolderWatches, type WatchedFolder } from "./watches";

const RETRY_MS = 5000;
const LOOK_MS = 60_000;
/** The condition that says that this node's accounts are not what they should be. */
export const LOGINS_CONDITION = "LoginsOutdated";

/** Keeps the accounts of one host: when to look, what to watch, whom to tell. */
export class HostAccounts {
  readonly #workplace: Workplace;
  readonly #users: Informer<UserObject>;
  readonly #keeper: AccountKeeper;
  readonly #watches: FolderWatches;
  readonly #conditions: NodeConditions;
  /** Logins whose homes could not be brought in order. */
  readonly #broken = new Map<string, Refusal>();
  #refused: ReadonlyMap<string, Refusal> = new Map();
  #judged: ReadonlyMap<string, Judged> | undefined;
  #dirty: Set<string> | "all" = "all";
  #homes = new Set<string>();
  #again: () => void = () => {};
  #passed: () => void = () => {};

  constructor(workplace: Workplace, all: Informer<UserObject>) {
    this.#workplace = workplace;
    this.#users = all;
    const { root, settings, manager, client } = workplace;
    const log = manager.log.with({ controller: "users" });
    this.#keeper = new AccountKeeper({
      root,
      homesFolder: settings.homesFolder,
      endSessions: settings.endSessions,
      log,
    });
    this.#watches = new FolderWatches(
      root.place,
      (subject) => {
        this.touch(subject === "" ? undefined : subject);
        this.#again();
      },
      log,
    );
    this.#conditions = new NodeConditions(client, "fleetwright-agent-users", [LOGINS_CONDITION]);
  }

  readonly judged = (): ReadonlyMap<string, Judged> => (this.#judged ??= judgeUsers(this.#users.list()));
  readonly failureOf = (login: string): Refusal | undefined =>
    this.#refused.get(login) ?? this.#broken.get(login);

  /** Says whom to call when files of ours were touched, and after every pass. */
  start({ again, passed }: { again: () => void; passed: () => void }): void {
    this.#again = again;
    this.#passed = passed;
  }

  /** Hears that a User changed. */
  changed(login: string | undefined): void {
    this.#judged = undefined;
    this.touch(login);
  }

  /** Marks the home of a login to be looked at. */
  touch(login: string | undefined): void {
    if (login !== undefined && this.#dirty !== "all") this.#dirty.add(login);
  }

  async reconcile({ signal, clock, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const now = clock.now();
    const logins = this.#logins();
    const dirty = this.#dirty;
    this.#dirty = new Set();
    // Before the files are read: whatever happens to them from here on is noticed.
    this.#watches.keep(systemFolders());
    let outcome: PassOutcome;
    try {
      outcome = await this.#keeper.pass(logins, dirty, now);
    } catch (error) {
      this.#takeUpAgain(dirty);
      await this.#tellNode(asRefusal(error), signal).catch(() => {});
      throw error;
    }
    this.#watchHomes(logins, outcome);
    this.#noteFailures(outcome, logins);
    this.#noteFindings(outcome);
    await this.#tellNode(undefined, signal).catch((error: unknown) => {
      log.warn("The node's condition could not be written.", { cause: errorMessage(error) });
    });
    return this.#nextLook(logins, outcome, clock.now());
  }

  #takeUpAgain(dirty: Set<string> | "all"): void {
    if (dirty === "all") this.#dirty = "all";
    else for (const name of dirty) this.touch(name);
  }

  /** At the end of the agent: nothing, or all accounts are locked if that was asked for. */
  async end(): Promise<void> {
    this.#watches.close();
    const { settings, manager } = this.#workplace;
    if (settings.onShutdown !== "lock" || !this.#users.hasSynced) return;
    const logins = this.#logins();
    await this.#keeper.pass(logins, "all", manager.clock.now(), { locked: true });
    manager.log.info("All accounts were locked, as asked for by --on-shutdown.", { accounts: logins.length });
  }

  #logins(): Login[] {
    return [...this.judged().values()].flatMap(({ login }) => (login === undefined ? [] : [login]));
  }

  #watchHomes(logins: readonly Login[], { looked }: PassOutcome): void {
    const { homesFolder } = this.#workplace.settings;
    const names = new Set(logins.map(({ name }) => name));
    for (const name of this.#homes)
      if (!names.has(name))
        for (const { folder } of homeFolders(homesFolder, name)) this.#watches.drop(folder);
    this.#homes = names;
    const begun = this.#watches.keep(
      [...names].filter((name) => looked.has(name)).flatMap((name) => homeFolders(homesFolder, name)),
    );
    // Whatever was done to a home between the look and the watch is found by another look.
    for (const name of begun) this.touch(name);
    if (begun.size > 0) this.#again();
  }

  #noteFailures({ refused, looked }: PassOutcome, logins: readonly Login[]): void {
    this.#refused = refused;
    for (const [name, failure] of looked)
      if (failure === undefined) this.#broken.delete(name);
      else this.#broken.set(name, failure);
    const names = new Set(logins.map(({ name }) => name));
    for (const name of this.#broken.keys()) if (!names.has(name)) this.#broken.delete(name);
    this.#passed();
  }

  #noteFindings({ findings }: PassOutcome): void {
    const { recorder, settings } = this.#workplace;
    for (const [login, found] of findings) {
      const note = `On ${settings.nodeName} somebody changed files of ours, which were put back: ${found.join("; ")}.`;
      const what = { type: "Warning", reason: "TamperingUndone", action: "PutBack", note } as const;
      const user = [...this.judged()].find(([, judged]) => judged.login?.name === login)?.[0];
      const object = user === undefined ? undefined : this.#users.get(user);
      if (object !== undefined) recorder.record(USERS, object, what);
      else recorder.record(NODES, { metadata: { name: settings.nodeName } }, what);
      this.#workplace.manager.log.warn("Somebody changed files of ours, which were put back.", {
        login,
        found,
      });
    }
  }

  async #tellNode(refusal: Refusal | undefined, signal: AbortSignal): Promise<void> {
    const { manager, settings } = this.#workplace;
    const node = ownNode(manager.cache, settings.nodeName).get(settings.nodeName);
    if (node === undefined) return;
    const judgement = refusal === undefined ? undefined : { bad: true, ...refusal };
    await this.#conditions.write(node, { [LOGINS_CONDITION]: judgement }, signal);
  }

  #nextLook(logins: readonly Login[], { looked }: PassOutcome, now: number): ReconcileResult | undefined {
    const failed = [...looked].filter(([, failure]) => failure !== undefined).map(([name]) => name);
    for (const name of failed) this.touch(name);
    const expiries = logins.flatMap((login) => {
      const at = nextExpiry(login, now);
      if (at === undefined) return [];
      return [{ name: login.name, at }];
    });
    const next = expiries.length === 0 ? Infinity : Math.min(...expiries.map(({ at }) => at));
    // Marked now: when the time has come, these are the homes to look at.
    for (const { name, at } of expiries) if (at === next) this.touch(name);
    if (this.#watches.incomplete) this.#dirty = "all";
    const waits = [
      ...(failed.length === 0 ? [] : [RETRY_MS]),
      ...(this.#watches.incomplete ? [LOOK_MS] : []),
      ...(next === Infinity ? [] : [Math.max(0, next - now)]),
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

function homeFolders(homesFolder: string, name: string): WatchedFolder[] {
  const home = `${homesFolder}/${name}`;
  return [
    { folder: home, names: [".ssh"], subject: name },
    { folder: `${home}/.ssh`, names: ["authorized_keys", "authorized_keys2"], subject: name },
  ];
}
