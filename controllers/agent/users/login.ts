import { FULL_NAME, LOGIN_NAME, RESERVED_LOGINS } from "../../../api/login-name";
import { keyProblem } from "../../../api/ssh-key-form";
import type { KubernetesObject } from "../../runtime";

/** A key that opens an account. */
export interface LoginKey {
  line: string;
  /** In milliseconds since 1970; never if missing. */
  notAfter?: number;
}

/** What a User asks for, checked to the last character. */
export interface Login {
  name: string;
  fullName: string;
  sudo: boolean;
  keys: readonly LoginKey[];
}

/** What is wrong, as a word and as a sentence. */
export interface Refusal {
  reason: string;
  message: string;
}

/** A User's object as it comes from the server, whatever is in it. */
export interface UserObject extends KubernetesObject {
  spec?: unknown;
  status?: UserStatus;
}

/** The part of a User's status that is looked at. */
export interface UserStatus {
  observedGeneration?: number;
  keys?: number;
  nextExpiry?: string;
  conditions?: {
    type: string;
    status: "True" | "False" | "Unknown";
    reason: string;
    message: string;
    observedGeneration?: number;
    lastTransitionTime: string;
  }[];
  failures?: { node: string; reason: string; message: string }[];
}

/** Either what a User asks for or why it gets nothing. */
export type Judged = { login: Login; refusal?: undefined } | { login?: undefined; refusal: Refusal };

const MOST_KEYS = 32;
const form = (source: string): RegExp => new RegExp(`^(?:${source})$`);

/**
 * Judges all Users at once. The API server has checked them, if its rules are those of today: what goes into files of
 * root is checked again. Of two Users with one login name the older holds it.
 */
export function judgeUsers(users: readonly UserObject[]): Map<string, Judged> {
  const judged = new Map<string, Judged>();
  const holders = new Map<string, string>();
  for (const user of [...users].sort(olderFirst)) {
    const { name } = user.metadata;
    if (user.metadata.deletionTimestamp !== undefined) continue;
    const verdict = judge(user.spec);
    const holder = verdict.login === undefined ? undefined : holders.get(verdict.login.name);
    if (verdict.login !== undefined && holder === undefined) holders.set(verdict.login.name, name);
    judged.set(
      name,
      holder === undefined
        ? verdict
        : refuse(
            "LoginTaken",
            `spec.name: the login name ${JSON.stringify(verdict.login?.name ?? "")} is that of the older User ${holder}: choose another.`,
          ),
    );
  }
  return judged;
}

function olderFirst(a: UserObject, b: UserObject): number {
  const age = ({ metadata }: UserObject): string => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return age(a) < age(b) ? -1 : 1;
}

function judge(spec: unknown): Judged {
  if (typeof spec !== "object" || spec === null)
    return refuse("Invalid", "spec: it must be an object with a name.");
  const field = (name: string): unknown =>
    Object.hasOwn(spec, name) ? (spec as Record<string, unknown>)[name] : undefined;
  const [name, fullName, sudo, sshKeys] = ["name", "fullName", "sudo", "sshKeys"].map(field);
  if (typeof name !== "string" || !form(LOGIN_NAME).test(name))
    return refuse(
      "InvalidName",
      `spec.name is ${shown(name)}: a login name begins with a letter and has at most 31 characters a-z, 0-9 and "-".`,
    );
  if (RESERVED_LOGINS.includes(name))
    return refuse(
      "ReservedName",
      `spec.name is ${shown(name)}, which belongs to the system: choose another.`,
    );
  if (fullName !== undefined && (typeof fullName !== "string" || !isFullName(fullName)))
    return refuse(
      "InvalidFullName",
      `spec.fullName is ${shown(fullName)}: it must have at most 127 characters and no control characters, ":", "," or "=".`,
    );
  if (sudo !== undefined && typeof sudo !== "boolean")
    return refuse("Invalid", `spec.sudo is ${shown(sudo)}: give true or false.`);
  const keys = judgeKeys(sshKeys ?? []);
  if ("refusal" in keys) return { refusal: keys.refusal };
  return { login: { name, fullName: fullName ?? "", sudo: sudo ?? false, keys: keys.keys } };
}

function isFullName(text: string): boolean {
  return text.length <= 127 && form(FULL_NAME).test(text) && !/\p{Cc}/u.test(text);
}

function judgeKeys(found: unknown): { keys: LoginKey[] } | { refusal: Refusal } {
  if (!Array.isArray(found))
    return refuse("InvalidKey", `spec.sshKeys is ${shown(found)}: it must be a list.`);
  if (found.length > MOST_KEYS)
    return refuse("TooManyKeys", `spec.sshKeys has ${found.length} keys, and ${MOST_KEYS} are allowed.`);
  const keys: LoginKey[] = [];
  for (const [index, entry] of (found as unknown[]).entries()) {
    const { key, notAfter } = Object(entry) as { key?: unknown; notAfter?: unknown };
    const where = `spec.sshKeys[${index}]`;
    const problem = typeof key === "string" ? keyProblem(key) : "it must be a text";
    if (typeof key !== "string" || problem !== undefined)
      return refuse("InvalidKey", `${where}.key is ${shown(key)}: ${problem ?? ""}.`);
    const at = typeof notAfter === "string" ? Date.parse(notAfter) : Number.NaN;
    if (notAfter !== undefined && Number.isNaN(at))
      return refuse(
        "InvalidKey",
        `${where}.notAfter is ${shown(notAfter)}: give a time such as 2030-01-31T00:00:00Z.`,
      );
    keys.push(notAfter === undefined ? { line: key } : { line: key, notAfter: at });
  }
  return { keys };
}

function refuse(reason: string, message: string): { refusal: Refusal } {
  return { refusal: { reason, message } };
}

/** A value for a message: short, and without what could play tricks on a terminal. */
function shown(value: unknown): string {
  const text = value === undefined ? "missing" : JSON.stringify(value);
  const plain = text.replace(
    /[^\x20-\x7e]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return plain.length > 80 ? `${plain.slice(0, 77)}...` : plain;
}
