import { errorCode, errorMessage, type Logger } from "../../runtime";
import { HostRefusal, type HostFolder, type HostRoot } from "../host";
import { isSame, readAccountFiles, writeAccountFiles } from "./account-files";
import { withAccountLocks } from "./account-lock";
import { readRecord, recordText, STATE_FOLDER, writeRecord } from "./account-record";
import { planAccounts, type AccountFiles, type AccountPlan, type AccountRecord } from "./accounts";
import { renderKeys } from "./authorized-keys";
import { entriesOf } from "./entry-file";
import { closeHome, keysDigest, openHome, takeKeys } from "./home";
import type { Login, Refusal } from "./login";
import { endProcesses } from "./sessions";
import { renderSudoers, SUDOERS_FILE, SUDOERS_FOLDER } from "./sudoers";

/** Where accounts are kept on a host. */
export interface KeeperOptions {
  root: HostRoot;
  /** The folder of homes on the host. */
  homesFolder: string;
  /** Whether the processes of an account that goes are ended. */
  endSessions: boolean;
  log: Logger;
}

/** What a pass did and found. */
export interface PassOutcome {
  /** Every login that has no account, or not all that it should have, and why. */
  refused: Map<string, Refusal>;
  /** The logins whose homes were looked at, and what went wrong there. */
  looked: Map<string, Refusal | undefined>;
  /** What somebody else did to files of a login, and was undone; the empty name is for files of nobody alone. */
  findings: Map<string, string[]>;
}

const AT_ONCE = 8;

/** Makes the accounts of a host what the Users say, in passes that can be cut off anywhere and repeated. */
export class AccountKeeper {
  readonly #options: KeeperOptions;
  /** The entries of accounts as they were last seen right, to know a change by others from one of ours. */
  readonly #entries = new Map<string, string>();
  #sudoers: string | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /**
   * One pass. All accounts are looked at, which takes four files; homes only of the logins in `dirty`, or all. With
   * `locked` nobody has keys.
   */
  async pass(
    logins: readonly Login[],
    dirty: ReadonlySet<string> | "all",
    now: number,
    { locked = false }: { locked?: boolean } = {},
  ): Promise<PassOutcome> {
    const { root, homesFolder, endSessions } = this.#options;
    const outcome: PassOutcome = {
      refused: new Map(),
      looked: new Map(),
      findings: new Map(),
    };
    const { plan, recorded } = await this.#accounts(logins, outcome);
    for (const [name, refusal] of plan.refused) outcome.refused.set(name, refusal);
    if (endSessions)
      for (const { name, uid } of plan.gone) {
        const ended = await endProcesses("/proc", uid);
        if (ended > 0)
          this.#options.log.info("Processes of an account that goes were ended.", { name, ended });
      }
    for (const { name } of plan.gone) await closeHome(root, homesFolder, name);
    const record = new Map(plan.finalRecord);
    // An account that is new, or was in nobody's way until now, has never had its home looked at.
    const residents = logins.filter(
      ({ name }) => dirty === "all" || dirty.has(name) || record.get(name)?.keys === undefined,
    );
    await inTurns(AT_ONCE, residents, async (login) => {
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
        outcome.looked.set(login.name, undefined);
      } catch (error) {
        outcome.looked.set(login.name, asRefusal(error));
      }
    });
    if (recordText(record) !== recordText(recorded))
      await root.ensureFolder(STATE_FOLDER, (folder) => writeRecord(folder, record));
    return outcome;
  }

  /** Brings the account files, the record and the sudo rules to what they shall be. */
  async #accounts(
    logins: readonly Login[],
    outcome: PassOutcome,
  ): Promise<{ plan: AccountPlan; recorded: AccountRecord }> {
    const { root, homesFolder } = this.#options;
    return root.inFolder("/etc", async (etc) => {
      const shell = await findShell(etc);
      const look = async () => {
        const files = await readAccountFiles(etc);
        const recorded = (await root.ifFolder(STATE_FOLDER, readRecord))?.result ?? new Map();
        const homes = new Set(await root.inFolder(homesFolder, (folder) => folder.names()));
        const plan = planAccounts(files.texts, recorded, logins, { homes, homesFolder, shell });
        return { files, recorded, plan };
      };
      let seen = await look();
      // First of all: who is no longer wanted gets in no more, whatever goes wrong after this.
      for (const { name } of seen.plan.gone) await takeKeys(root, homesFolder, name);
      this.#noteChanges(seen.files.texts, seen.plan, outcome);
      await this.#sudo(etc, logins, seen.plan, outcome);
      if (!isSame(seen.files.texts, seen.plan.files)) {
        seen = await withAccountLocks(etc, async () => {
          const again = await look();
          if (recordText(again.plan.record) !== recordText(again.recorded))
            await root.ensureFolder(STATE_FOLDER, (folder) => writeRecord(folder, again.plan.record));
          await writeAccountFiles(etc, again.files, again.plan.files);
          return { ...again, recorded: again.plan.record };
        });
      }
      this.#entries.clear();
      for (const [name] of seen.plan.uids) this.#entries.set(name, entryOf(seen.plan.files, name));
      return seen;
    });
  }

  #noteChanges(files: AccountFiles, plan: AccountPlan, outcome: PassOutcome): void {
    for (const [name, last] of this.#entries) {
      if (!plan.uids.has(name) || entryOf(plan.files, name) !== last) continue;
      const changed = (["passwd", "shadow", "group", "gshadow"] as const).filter(
        (file) => partOf(files, file, name) !== partOf(plan.files, file, name),
      );
      if (changed.length > 0)
        found(outcome, name, `its entry in ${changed.map((file) => `/etc/${file}`).join(", ")} was changed`);
    }
  }

  async #sudo(
    etc: HostFolder,
    logins: readonly Login[],
    plan: AccountPlan,
    outcome: PassOutcome,
  ): Promise<void> {
    const may = logins.filter(({ sudo, name }) => sudo && plan.uids.has(name)).map(({ name }) => name);
    const wanted = renderSudoers(may);
    const folder = await etc.folder("sudoers.d");
    if (folder === undefined) {
      for (const name of may)
        outcome.refused.set(name, {
          reason: "NoSudo",
          message: `The node has no ${SUDOERS_FOLDER}: install sudo, or set spec.sudo to false.`,
        });
      return;
    }
    try {
      const stands = await folder.look(SUDOERS_FILE);
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

function partOf(files: AccountFiles, file: keyof AccountFiles, name: string): string {
  return JSON.stringify(entriesOf(files[file] ?? "", name));
}

function entryOf(files: AccountFiles, name: string): string {
  return (["passwd", "shadow", "group", "gshadow"] as const)
    .map((file) => partOf(files, file, name))
    .join("\n");
}

/** The shell of new accounts: what people expect, if the host says that it has it. */
async function findShell(etc: HostFolder): Promise<string> {
  const shells = (await etc.read("shells"))?.text.split("\n") ?? [];
  return shells.includes("/bin/bash") ? "/bin/bash" : "/bin/sh";
}

function found(outcome: PassOutcome, name: string, ...findings: string[]): void {
  outcome.findings.set(name, [...(outcome.findings.get(name) ?? []), ...findings]);
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "DiskFull",
  EDQUOT: "DiskFull",
  EROFS: "ReadOnly",
  EMFILE: "TooManyOpenFiles",
  ENFILE: "TooManyOpenFiles",
};

/** What went wrong on the host, as a word and as a sentence. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof HostRefusal) return { reason: error.reason, message: error.message };
  return {
    reason: WORDS[errorCode(error) ?? ""] ?? "WriteFailed",
    message: `${errorMessage(error)}; trying again.`,
  };
}

async function inTurns<T>(
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
