import { parseArgs } from "node:util";
import { ExitCode, Failure } from "../../lib/failure";

/** What is measured. */
export interface CacheOptions {
  /** How many Secrets, in ascending order. */
  sizes: readonly number[];
  rounds: number;
  updates: number;
  quietSeconds: number;
}

/** Reads `--sizes 10000,50000 --rounds 1 --updates 2000 --quiet 5`, for a quick try. */
export function optionsOf(args: readonly string[]): CacheOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: "string", default: "10000,50000,100000,300000" },
      rounds: { type: "string", default: "3" },
      updates: { type: "string", default: "20000" },
      quiet: { type: "string", default: "600" },
    },
  });
  const sizes = values.sizes.split(",").map((text) => whole("sizes", text));
  return {
    sizes: sizes.sort((a, b) => a - b),
    rounds: whole("rounds", values.rounds),
    updates: whole("updates", values.updates),
    quietSeconds: whole("quiet", values.quiet),
  };
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Failure(`--${name} is ${JSON.stringify(text)}: give a whole number from 1.`, ExitCode.usage);
}
