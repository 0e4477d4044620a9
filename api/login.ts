// Validates Users and turns each into a login, the account that it declares. The agent makes the accounts and the
// coordinator tells of them: both have to refuse the same, and neither loads the schemas for it.
import { FULL_NAME, LOGIN_NAME, RESERVED_LOGINS } from "./login-name";
import { keyProblem } from "./ssh-key-form";

/** A User as far as its login depends on it. Its spec may be of any shape. */
export interface DeclaredUser {
  metadata: { name: string; creationTimestamp?: string; deletionTimestamp?: string };
  spec?: unknown;
}

/** A public key for an account. */
export interface LoginKey {
  line: string;
  /** In milliseconds since 1970; undefined if it never expires. */
  notAfter?: number;
}

/** The account that a User declares, fully validated. */
export interface Login {
  name: string;
  fullName: string;
  sudo: boolean;
  keys: readonly LoginKey[];
}

/** Why something was refused: a CamelCase reason and a message, as in a condition. */
export interface Refusal {
  reason: string;
  message: string;
}

/** The account that a User declares, or why it is refused. */
export type LoginResult = { login: Login; refusal?: undefined } | { login?: undefined; refusal: Refusal };

const MAX_KEYS = 32;
const form = (source: string): RegExp => new RegExp(`^(?:${source})$`);

/**
 * Validates all Users, by User name. The API server has validated them, but perhaps by an older CRD: what goes into
 * root's files is checked again. If two Users declare the same login name, the older one gets it.
 */
export function resolveLogins(users: readonly DeclaredUser[]): Map<string, LoginResult> {
  const resolved = new Map<string, LoginResult>();
  const holders = new Map<string, string>();
  for (const user of [...users].sort(olderFirst)) {
    const { name } = user.metadata;
    if (user.metadata.deletionTimestamp !== undefined) continue;
    const result = checked(user);
    const holder = result.login === undefined ? undefined : holders.get(result.login.name);
    if (result.login !== undefined && holder === undefined) holders.set(result.login.name, name);
    resolved.set(
      name,
      holder === undefined
        ? result
        : refuse(
            "LoginTaken",
            `spec.name is ${JSON.stringify(result.login?.name ?? "")}, which the older User ${holder} has already: choose another login name.`,
          ),
    );
  }
  return resolved;
}

function olderFirst(a: DeclaredUser, b: DeclaredUser): number {
  const age = ({ metadata }: DeclaredUser): string => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return age(a) < age(b) ? -1 : 1;
}

/** Users in a cache are never changed, only replaced: each is checked once, not at every change of another. */
const results = new WeakMap<DeclaredUser, LoginResult>();

function checked(user: DeclaredUser): LoginResult {
  const known = results.get(user);
  if (known !== undefined) return known;
  const result = checkSpec(user.spec);
  results.set(user, result);
  return result;
}

function checkSpec(spec: unknown): LoginResult {
  if (typeof spec !== "object" || spec === null)
    return refuse("Invalid", "spec must be an object with a name.");
  const field = (name: string): unknown =>
    Object.hasOwn(spec, name) ? (spec as Record<string, unknown>)[name] : undefined;
  const [name, fullName, sudo, sshKeys] = ["name", "fullName", "sudo", "sshKeys"].map(field);
  if (typeof name !== "string" || !form(LOGIN_NAME).test(name))
    return refuse(
      "InvalidName",
      `spec.name is ${shown(name)}: use a letter followed by up to 30 of a-z, 0-9 and "-".`,
    );
  if (RESERVED_LOGINS.includes(name))
    return refuse(
      "ReservedName",
      `spec.name is ${shown(name)}, which is reserved for the system: choose another.`,
    );
  if (fullName !== undefined && (typeof fullName !== "string" || !isFullName(fullName)))
    return refuse(
      "InvalidFullName",
      `spec.fullName is ${shown(fullName)}: use at most 127 characters, without control characters, ":", "," or "=".`,
    );
  if (sudo !== undefined && typeof sudo !== "boolean")
    return refuse("Invalid", `spec.sudo is ${shown(sudo)}: use true or false.`);
  const keys = checkKeys(sshKeys ?? []);
  if ("refusal" in keys) return { refusal: keys.refusal };
  return { login: { name, fullName: fullName ?? "", sudo: sudo ?? false, keys: keys.keys } };
}

function isFullName(text: string): boolean {
  return text.length <= 127 && form(FULL_NAME).test(text) && !/\p{Cc}/u.test(text);
}

function checkKeys(found: unknown): { keys: LoginKey[] } | { refusal: Refusal } {
  if (!Array.isArray(found))
    return refuse("InvalidKey", `spec.sshKeys is ${shown(found)}: it must be a list.`);
  if (found.length > MAX_KEYS)
    return refuse("TooManyKeys", `spec.sshKeys has ${found.length} keys: at most ${MAX_KEYS} are allowed.`);
  const keys: LoginKey[] = [];
  for (const [index, entry] of (found as unknown[]).entries()) {
    const { key, notAfter } = Object(entry) as { key?: unknown; notAfter?: unknown };
    const where = `spec.sshKeys[${index}]`;
    const problem = typeof key === "string" ? keyProblem(key) : "it must be a string";
    if (typeof key !== "string" || problem !== undefined)
      return refuse("InvalidKey", `${where}.key is ${shown(key)}: ${problem ?? ""}.`);
    const at = typeof notAfter === "string" ? Date.parse(notAfter) : Number.NaN;
    if (notAfter !== undefined && Number.isNaN(at))
      return refuse(
        "InvalidKey",
        `${where}.notAfter is ${shown(notAfter)}: use a time such as 2030-01-31T00:00:00Z.`,
      );
    keys.push(notAfter === undefined ? { line: key } : { line: key, notAfter: at });
  }
  return { keys };
}

function refuse(reason: string, message: string): { refusal: Refusal } {
  return { refusal: { reason, message } };
}

/** A value for a message: shortened, and without control characters. */
function shown(value: unknown): string {
  const text = value === undefined ? "missing" : JSON.stringify(value);
  const plain = text.replace(
    /[^\x20-\x7e]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return plain.length > 80 ? `${plain.slice(0, 77)}...` : plain;
}

/** The keys of a login that have not expired at a given time. */
export function keysInForce({ keys }: Pick<Login, "keys">, now: number): LoginKey[] {
  return keys.filter(({ notAfter }) => notAfter === undefined || notAfter > now);
}

/** When the next key of a login expires. */
export function nextExpiry(login: Pick<Login, "keys">, now: number): number | undefined {
  const expiries = keysInForce(login, now).flatMap(({ notAfter }) =>
    notAfter === undefined ? [] : [notAfter],
  );
  return expiries.length === 0 ? undefined : Math.min(...expiries);
}
