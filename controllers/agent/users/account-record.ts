// The record on the host of which accounts are ours.
import { LOGIN_NAME } from "../../../api/login-name";
import type { HostFolder } from "../host";
import { HostRefusal } from "../host";
import { isOurs, type AccountRecord, type RecordedAccount } from "./plan";

/** The agent's own folder on the host. */
export const STATE_FOLDER = "/var/lib/fleetwright/agent";
const FILE = "accounts.json";
const NAME = new RegExp(`^(?:${LOGIN_NAME})$`);

/** Reads which accounts are ours. */
export async function readRecord(folder: HostFolder): Promise<AccountRecord> {
  const found = await folder.read(FILE);
  return found === undefined ? new Map() : parseRecord(found.text);
}

/** Writes which accounts are ours. */
export function writeRecord(folder: HostFolder, record: AccountRecord): Promise<void> {
  return folder.write(FILE, recordText(record), { uid: 0, gid: 0, mode: 0o600 });
}

/** The record as it is written. */
export function recordText(record: AccountRecord): string {
  const accounts = Object.fromEntries([...record].sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ version: 1, accounts }, undefined, 1)}\n`;
}

/** Parses a record; a damaged one is refused, because guessing could touch accounts that are not ours. */
export function parseRecord(text: string): AccountRecord {
  const broken = (): HostRefusal =>
    new HostRefusal(
      "RecordBroken",
      `${STATE_FOLDER}/${FILE} on the node is damaged. Remove it: accounts with our mark are adopted again.`,
    );
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw broken();
  }
  const accounts: unknown =
    Object(parsed) === parsed ? (parsed as { accounts?: unknown }).accounts : undefined;
  if (typeof accounts !== "object" || accounts === null) throw broken();
  const record = new Map<string, RecordedAccount>();
  for (const [name, found] of Object.entries(accounts as Record<string, unknown>)) {
    const { uid, open, keys } = Object(found) as Record<string, unknown>;
    // An id outside our range would let the agent chown files and kill processes that are not ours.
    if (!NAME.test(name) || typeof uid !== "number" || !isOurs(uid) || typeof open !== "boolean")
      throw broken();
    record.set(name, typeof keys === "string" ? { uid, open, keys } : { uid, open });
  }
  return record;
}
