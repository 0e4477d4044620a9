import { parseArgs } from "node:util";
import { ExitCode, Failure } from "../../lib/failure";

/** Reads `--name number` pairs over their defaults, for a quick try. */
export function sizesOf<Name extends string>(
  args: readonly string[],
  defaults: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(defaults).filter((name): name is Name => name in defaults);
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const { values } = parseArgs({ args: [...args], options });
  const sizes: Record<Name, number> = { ...defaults };
  for (const name of names) {
    const given = values[name];
    if (typeof given !== "string") continue;
    const value = Number(given);
    if (!Number.isInteger(value) || value < 1)
      throw new Failure(`--${name} is ${JSON.stringify(given)}: give a whole number from 1.`, ExitCode.usage);
    sizes[name] = value;
  }
  return sizes;
}

/** The value below which a share of all lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}
