import { createHash } from "node:crypto";

/** A name made of a prefix and another object's name. One that would be too long ends in a hash, and stays its own. */
export function derivedName(prefix: string, name: string, longest = 253): string {
  const whole = prefix + name;
  if (whole.length <= longest) return whole;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 10);
  return `${whole.slice(0, longest - 11).replace(/[^a-z0-9]+$/, "")}-${hash}`;
}
