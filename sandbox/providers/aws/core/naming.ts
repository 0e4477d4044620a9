import { createHash, randomBytes } from "node:crypto";
import type { AutoName } from "./declaration";

/** The last part of a URN: what the program called the resource. */
export function nameInUrn(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** The type in a URN, without those of its parents. */
export function typeInUrn(urn: string): string {
  const types = urn.split("::")[2] ?? "";
  return types.slice(types.lastIndexOf("$") + 1);
}

const RANDOM_CHARACTERS = 7;

/** Why the official provider makes no name for a resource: it shortens none. Undefined where there is room. */
export function noRoomForName(rule: AutoName<string>, urn: string): string | undefined {
  const given = `${rule.prefix ?? ""}${nameInUrn(urn)}-`;
  return given.length + RANDOM_CHARACTERS > rule.maxLength
    ? `name '${given}' plus ${RANDOM_CHARACTERS} random chars is longer than maximum length ${rule.maxLength}`
    : undefined;
}

/** A name as the official provider makes it: the program's, a dash and seven hexadecimal digits. */
export function autoName(rule: AutoName<string>, urn: string, seed: Uint8Array): string {
  const random =
    seed.length > 0
      ? createHash("sha256").update(seed).update(urn).digest("hex")
      : randomBytes(8).toString("hex");
  const name = `${rule.prefix ?? ""}${nameInUrn(urn)}-${random.slice(0, RANDOM_CHARACTERS)}`;
  return rule.lowerCase === true ? name.toLowerCase() : name;
}
