// Decides what the account files should contain: pure, from the files, the record and the wanted logins.
import { createHash } from "node:crypto";
import { LOGIN_NAME } from "../../../api/login-name";
import { entriesByName, fieldsOf, linesOf, numbersIn, withEntries, type EntryIndex } from "./entry-file";
import type { Refusal } from "../../../api/login";

/** The files that define accounts, with a character for every byte (account-files.ts). */
export interface AccountFiles {
  passwd: string;
  shadow: string;
  group: string;
  /** Not every distribution has it. */
  gshadow: string | undefined;
}

/** What the record says of an account of ours, so that it is known as ours whatever happens to the files. */
export interface RecordedAccount {
  uid: number;
  /** False when the User is gone and only the home is left. */
  open: boolean;
  /** A digest of the keys that were last put in place. */
  keys?: string;
}

/** The accounts of ours by login name. */
export type AccountRecord = ReadonlyMap<string, RecordedAccount>;

/** An account that is wanted. */
export interface WantedAccount {
  name: string;
  fullName: string;
}

/** What the plan needs to know of the host besides the files. */
export interface PlanContext {
  /** The names in the folder of homes. */
  homes: ReadonlySet<string>;
  homesFolder: string;
  shell: string;
}

/** The wanted account files, and what follows for each account. */
export interface AccountPlan {
  files: AccountFiles;
  /** To be written before the files: all that is or will be ours. */
  record: AccountRecord;
  /** To be written after everything else. */
  finalRecord: AccountRecord;
  /** User ids of the accounts that are in place then. */
  uids: ReadonlyMap<string, number>;
  /** Why some that are wanted are not. */
  refused: ReadonlyMap<string, Refusal>;
  /** Accounts of ours that are no longer wanted. */
  gone: readonly { name: string; uid: number }[];
}

/**
 * The user and group ids of our accounts: above what distributions and systemd give out, below the first subordinate
 * ids.
 */
export const UIDS = { first: 70_000, last: 79_999 } as const;
/** Whether an id is one of those that we give out. */
export function isOurs(uid: number): boolean {
  return Number.isInteger(uid) && uid >= UIDS.first && uid <= UIDS.last;
}
/** The last part of the comment field of our accounts, which only root can write. */
export const MARK = "fleetwright";

/** Decides what the account files should contain. Entries that are not ours stay untouched, byte for byte. */
export function planAccounts(
  files: AccountFiles,
  recorded: AccountRecord,
  wanted: readonly WantedAccount[],
  context: PlanContext,
): AccountPlan {
  const known = {
    passwd: entriesByName(files.passwd),
    shadow: entriesByName(files.shadow),
    group: entriesByName(files.group),
  };
  const ours = ownAccounts(files, known.passwd, recorded);
  const taken = new Set([
    ...numbersIn(files.passwd, 2),
    ...numbersIn(files.group, 2),
    ...Array.from(ours.values(), ({ uid }) => uid),
  ]);
  const uids = new Map<string, number>();
  const refused = new Map<string, Refusal>();
  for (const { name } of wanted) {
    const own = ours.get(name);
    const refusal = own === undefined ? obstacle(name, known, context) : undefined;
    const uid = own?.uid ?? (refusal === undefined ? freeUid(name, taken) : undefined);
    if (uid !== undefined) {
      uids.set(name, uid);
      taken.add(uid);
    } else
      refused.set(
        name,
        refusal ?? {
          reason: "NoUserIdLeft",
          message: `All ids from ${UIDS.first} to ${UIDS.last} are taken.`,
        },
      );
  }
  const unwanted = [...ours].filter(([name]) => !uids.has(name));
  const gone = unwanted
    .filter(([name, { open }]) => open || known.passwd.has(name))
    .map(([name, { uid }]) => ({ name, uid }));
  const record = new Map(ours);
  for (const [name, uid] of uids) record.set(name, { ...ours.get(name), uid, open: true });
  const finalRecord = new Map(record);
  for (const [name, { uid }] of unwanted)
    if (context.homes.has(name)) finalRecord.set(name, { uid, open: false });
    else finalRecord.delete(name);
  return {
    files: rendered(files, wanted, uids, unwanted, context),
    record,
    finalRecord,
    uids,
    refused,
    gone,
  };
}

/**
 * The accounts that are ours: recorded ones, unless someone else has created an account of that name, and marked
 * ones, in case the record was lost.
 */
function ownAccounts(
  { passwd }: AccountFiles,
  byName: EntryIndex,
  recorded: AccountRecord,
): Map<string, RecordedAccount> {
  const ours = new Map<string, RecordedAccount>();
  for (const [name, account] of recorded) {
    const entries = (byName.get(name) ?? []).map(fieldsOf);
    if (entries.length === 0 || entries.some((entry) => isMarked(entry) || Number(entry[2]) === account.uid))
      ours.set(name, account);
  }
  for (const line of linesOf(passwd)) {
    const entry = fieldsOf(line);
    const [name = "", , id] = entry;
    const uid = Number(id);
    if (!ours.has(name) && !recorded.has(name) && isMarked(entry) && isOurs(uid) && isLogin(name))
      ours.set(name, { uid, open: true });
  }
  return ours;
}

function isMarked(entry: readonly string[]): boolean {
  return (entry[4] ?? "").split(",").at(-1) === MARK;
}

const LOGIN = new RegExp(`^(?:${LOGIN_NAME})$`);
function isLogin(name: string): boolean {
  return LOGIN.test(name);
}

/** Why a new account cannot be created. */
function obstacle(
  name: string,
  known: Record<"passwd" | "shadow" | "group", EntryIndex>,
  { homes, homesFolder }: PlanContext,
): Refusal | undefined {
  const fix = "It was not touched. Choose another login name, or remove it from the node.";
  if (known.passwd.has(name) || known.shadow.has(name))
    return { reason: "AccountExists", message: `The node has an account ${name} that is not ours. ${fix}` };
  if (known.group.has(name))
    return { reason: "GroupExists", message: `The node has a group ${name} that is not ours. ${fix}` };
  if (homes.has(name))
    return {
      reason: "HomeExists",
      message: `The node has ${homesFolder}/${name}, which is not ours. ${fix}`,
    };
  return undefined;
}

/** A free id. It is derived from the name, so that a login has the same id on nearly every node. */
function freeUid(name: string, taken: ReadonlySet<number>): number | undefined {
  const size = UIDS.last - UIDS.first + 1;
  const start = createHash("sha256").update(name).digest().readUInt32BE(0) % size;
  for (let step = 0; step < size; step++) {
    const uid = UIDS.first + ((start + step) % size);
    if (!taken.has(uid)) return uid;
  }
  return undefined;
}

function rendered(
  files: AccountFiles,
  wanted: readonly WantedAccount[],
  uids: ReadonlyMap<string, number>,
  unwanted: readonly (readonly [name: string, account: RecordedAccount])[],
  { homesFolder, shell }: PlanContext,
): AccountFiles {
  const without = unwanted.map(([name]): [string, undefined] => [name, undefined]);
  const entries = (
    entry: (name: string, uid: number, fullName: string) => string,
  ): Map<string, string | undefined> =>
    new Map([
      ...without,
      ...wanted.flatMap(({ name, fullName }): [string, string][] => {
        const uid = uids.get(name);
        return uid === undefined ? [] : [[name, entry(name, uid, fullName)]];
      }),
    ]);
  return {
    passwd: withEntries(
      files.passwd,
      entries(
        (name, uid, full) =>
          `${name}:x:${uid}:${uid}:${asBytes(full)},,,,${MARK}:${homesFolder}/${name}:${shell}`,
      ),
    ),
    // "*" matches no password. "!" would make sshd refuse keys too.
    shadow: withEntries(
      files.shadow,
      entries((name) => `${name}:*::0:99999:7:::`),
    ),
    group: withEntries(
      files.group,
      entries((name, uid) => `${name}:x:${uid}:`),
    ),
    gshadow:
      files.gshadow === undefined
        ? undefined
        : withEntries(
            files.gshadow,
            entries((name) => `${name}:!::`),
          ),
  };
}

/** A text in UTF-8 with a character for every byte. */
function asBytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
