// Applies the plan for accounts, homes and sudo rules to the host.
import { errorCode, errorMessage, type Logger } from "../../runtime";
import { HostRefusal, type HostFolder, type HostRoot } from "../host";
import { isSame, readAccountFiles, writeAccountFiles } from "./account-files";
import { withAccountLocks } from "./account-lock";
import { readRecord, recordText, STATE_FOLDER, writeRecord } from "./account-record";
import { planAccounts, type AccountFiles, type AccountPlan, type AccountRecord } from "./plan";
import { renderKeys } from "./authorized-keys";
import { entriesByName, type EntryIndex } from "./entry-file";
import { closeHome, keysDigest, openHome, takeKeys } from "./home";
import type { Login, Refusal } from "../../../api/login";
import { endProcesses } from "./sessions";
import { renderSudoers, SUDOERS_FILE, SUDOERS_FOLDER } from "./sudoers";

/** How accounts are applied to a host. */
export interface AccountApplierOptions {
  root: HostRoot;
  /** The folder of homes on the host. */
  homesFolder: string;
  /** The host's process table. */
  proc: string;
  /** Whether the processes of a removed account are killed. */
  endSessions: boolean;
  log: Logger;
}

/** The result of one pass. */
export interface ApplyOutcome {
  /** Logins without an account, or without all that it should have, and why. */
  refused: Map<string, Refusal>;
  /** The logins whose homes were brought up to date, and what went wrong there. */
  updated: Map<string, Refusal | undefined>;
  /** Changes by others that were undone, by login; shared files are under the empty name. */
  findings: Map<string, string[]>;
}

const CONCURRENCY = 8;

/** Brings the accounts of a host in line with the Users. A pass can be interrupted anywhere and repeated. */
export class AccountApplier {
  readonly #options: AccountApplierOptions;
  /** The entries of accounts as last written, to tell changes by others from our own. */
  #entries: ReadonlyMap<string, string> = new Map();
  /** The texts that these entries stand in. */
  #texts: AccountFiles | undefined;
  #sudoers: string | undefined;

  constructor(options: AccountApplierOptions) {
    this.#options = options;
  }

  /**
   * One pass. All accounts are checked, which takes four files; homes only of the logins in `dirty`, or all. With
   * `locked` nobody gets keys.
   */
  async apply(
    logins: readonly Login[],
    dirty: ReadonlySet<string> | "all",
    now: number,
    { locked = false }: { locked?: boolean } = {},
  ): Promise<ApplyOutcome> {
    const { root, homesFolder, proc, endSessions } = this.#options;
    const outcome: ApplyOutcome = {
      refused: new Map(),
      updated: new Map(),
      findings: new Map(),
    };
    const { plan, recorded } = await this.#accounts(logins, outcome);
    for (const [name, refusal] of plan.refused) outcome.refused.set(name, refusal);
    if (endSessions)
      for (const { name, uid } of plan.gone) {
        const ended = await endProcesses(proc, uid);
        if (ended > 0)
          this.#options.log.info("Killed the processes of a removed account.", { name, count: ended });
      }
    for (const { name } of plan.gone) await closeHome(root, homesFolder, name);
    const record = new Map(plan.finalRecord);
    // The home of a new account, or of one that was refused before, has never been written.
    const residents = logins.filter(
      ({ name }) => dirty === "all" || dirty.has(name) || record.get(name)?.keys === undefined,
    );
    await forEachConcurrently(CONCURRENCY, residents, async (login) => {
      const uid = plan.uids.get(login.name);
      const account = record.get(login.name);
      if (uid === undefined || account === undefined) return;
      const keys = renderKeys(locked ? { keys: [] } : login, now);
      try {
        const findings = await openHome(root, homesFolder, {
          name: login.name,
          uid,
          keys,
          lastKeys: account.keys,
        });
        if (findings.length > 0) found(outcome, login.name, ...findings);
        record.set(login.name, { ...account, keys: keysDigest(keys) });
        outcome.updated.set(login.name, undefined);
      } catch (error) {
        outcome.updated.set(login.name, asRefusal(error));
      }
    });
    if (recordText(record) !== recordText(recorded))
      await root.ensureFolder(STATE_FOLDER, (folder) => writeRecord(folder, record));
    return outcome;
  }

  /** Brings the account files, the record and the sudo rules up to date. */
  async #accounts(
    logins: readonly Login[],
    outcome: ApplyOutcome,
  ): Promise<{ plan: AccountPlan; recorded: AccountRecord }> {
    const { root, homesFolder } = this.#options;
    return root.inFolder("/etc", async (etc) => {
      const shell = await findShell(etc);
      const read = async () => {
        const files = await readAccountFiles(etc);
        const recorded = (await root.ifFolder(STATE_FOLDER, readRecord))?.result ?? new Map();
        const homes = new Set(await root.inFolder(homesFolder, (folder) => folder.names()));
        const plan = planAccounts(files.texts, recorded, logins, { homes, homesFolder, shell });
        return { files, recorded, plan };
      };
      let seen = await read();
      // First of all: removed users lose access, whatever fails later.
      for (const { name } of seen.plan.gone) await takeKeys(root, homesFolder, name);
      this.#detectChanges(seen.files.texts, seen.plan, outcome);
      await this.#sudo(etc, logins, seen.plan, outcome);
      if (!isSame(seen.files.texts, seen.plan.files)) {
        seen = await withAccountLocks(etc, async () => {
          const again = await read();
          if (recordText(again.plan.record) !== recordText(again.recorded))
            await root.ensureFolder(STATE_FOLDER, (folder) => writeRecord(folder, again.plan.record));
          await writeAccountFiles(etc, again.files, again.plan.files);
          return { ...again, recorded: again.plan.record };
        });
      }
      this.#remember(seen.plan);
      return seen;
    });
  }

  #remember({ files, uids }: AccountPlan): void {
    // Nearly every pass finds the files as the last one left them.
    if (this.#texts !== undefined && isSame(this.#texts, files) && this.#entries.size === uids.size) return;
    const indexes = indexesOf(files);
    this.#entries = new Map(Array.from(uids.keys(), (name) => [name, entryOf(indexes, name)]));
    this.#texts = files;
  }

  #detectChanges(files: AccountFiles, plan: AccountPlan, outcome: ApplyOutcome): void {
    if (isSame(files, plan.files)) return;
    const [before, after] = [indexesOf(files), indexesOf(plan.files)];
    for (const [name, last] of this.#entries) {
      if (!plan.uids.has(name) || entryOf(after, name) !== last) continue;
      const changed = FILES.filter((file) => linesIn(before, file, name) !== linesIn(after, file, name));
      if (changed.length > 0)
        found(outcome, name, `its entry in ${changed.map((file) => `/etc/${file}`).join(", ")} was changed`);
    }
  }

  async #sudo(
    etc: HostFolder,
    logins: readonly Login[],
    plan: AccountPlan,
    outcome: ApplyOutcome,
  ): Promise<void> {
    const sudoers = logins.filter(({ sudo, name }) => sudo && plan.uids.has(name)).map(({ name }) => name);
    const wanted = renderSudoers(sudoers);
    const folder = await etc.folder("sudoers.d");
    if (folder === undefined) {
      for (const name of sudoers)
        outcome.refused.set(name, {
          reason: "NoSudo",
          message: `The node has no ${SUDOERS_FOLDER}: install sudo or set spec.sudo to false.`,
        });
      return;
    }
    try {
      const stands = await folder.lstat(SUDOERS_FILE);
      const link = stands !== undefined && !stands.isFile();
      if (link) await folder.remove(SUDOERS_FILE);
      const had = link ? undefined : await folder.read(SUDOERS_FILE);
      const right =
        had?.text === wanted &&
        (had === undefined ||
          (had.stats.uid === 0 && had.stats.gid === 0 && (had.stats.mode & 0o7777) === 0o440));
      const known = this.#sudoers;
      this.#sudoers = wanted;
      if (right) return;
      if (link || (known !== undefined && had?.text !== known))
        found(outcome, "", `${SUDOERS_FOLDER}/${SUDOERS_FILE} was changed`);
      if (wanted === undefined) await folder.remove(SUDOERS_FILE);
      else await folder.write(SUDOERS_FILE, wanted, { uid: 0, gid: 0, mode: 0o440 });
    } finally {
      await folder.close();
    }
  }
}

const FILES = ["passwd", "shadow", "group", "gshadow"] as const;
type Indexes = Readonly<Record<keyof AccountFiles, EntryIndex>>;

function indexesOf({ passwd, shadow, group, gshadow }: AccountFiles): Indexes {
  return {
    passwd: entriesByName(passwd),
    shadow: entriesByName(shadow),
    group: entriesByName(group),
    gshadow: entriesByName(gshadow ?? ""),
  };
}

function linesIn(indexes: Indexes, file: keyof AccountFiles, name: string): string {
  return (indexes[file].get(name) ?? []).join("\n");
}

function entryOf(indexes: Indexes, name: string): string {
  return FILES.map((file) => linesIn(indexes, file, name)).join("\n\n");
}

/** The login shell of accounts: bash if the host lists it. */
async function findShell(etc: HostFolder): Promise<string> {
  const shells = (await etc.read("shells"))?.text.split("\n") ?? [];
  return shells.includes("/bin/bash") ? "/bin/bash" : "/bin/sh";
}

function found(outcome: ApplyOutcome, name: string, ...findings: string[]): void {
  outcome.findings.set(name, [...(outcome.findings.get(name) ?? []), ...findings]);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "DiskFull",
  EDQUOT: "DiskFull",
  EROFS: "ReadOnly",
  EMFILE: "TooManyOpenFiles",
  ENFILE: "TooManyOpenFiles",
};

/** An error on the host as a reason and a message. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof HostRefusal) return { reason: error.reason, message: error.message };
  return {
    reason: REASONS[errorCode(error) ?? ""] ?? "WriteFailed",
    message: `${errorMessage(error)}; retrying.`,
  };
}

async function forEachConcurrently<T>(
  count: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (let next = queue.next(); next.done !== true; next = queue.next()) await work(next.value);
    }),
  );
}
