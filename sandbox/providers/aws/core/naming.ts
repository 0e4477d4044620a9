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

/** A name as the official provider makes it: the program's, a dash and seven hexadecimal digits. */
export function autoName(rule: AutoName<string>, urn: string, seed: Uint8Array): string {
  const random =
    seed.length > 0
      ? createHash("sha256").update(seed).update(urn).digest("hex")
      : randomBytes(8).toString("hex");
  const prefix = rule.prefix ?? "";
  const ending = `-${random.slice(0, 7)}`;
  const given = nameInUrn(urn).slice(0, rule.maxLength - prefix.length - ending.length);
  const name = `${prefix}${given}${ending}`;
  return rule.lowerCase === true ? name.toLowerCase() : name;
}
