// Seeds of randomized tests: a failed run names its seed and the command that repeats it.
import path from "node:path";

const given = process.env.FLEETWRIGHT_SEED;
/** How many seeds a test that runs many takes, in place of its own number. */
const wanted = process.env.FLEETWRIGHT_SEEDS;

/** The seed of a randomized test: `FLEETWRIGHT_SEED` if it is set, otherwise a new one, or the same at every run. */
export function testSeed(otherwise = Math.floor(Math.random() * 1e9)): number {
  return given === undefined ? otherwise : Number(given);
}

/** The seeds of a test that runs many: 1 to `count` or `FLEETWRIGHT_SEEDS`, or only `FLEETWRIGHT_SEED` if it is set. */
export function testSeeds(count: number): number[] {
  const length = wanted === undefined ? count : Number(wanted);
  return given === undefined ? Array.from({ length }, (_, index) => index + 1) : [Number(given)];
}

/** A small generator of whole numbers below a limit that gives the same ones for the same seed. */
export function seededNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state % below;
  };
}

/** Runs a randomized test; its failure says how to repeat it. `file` is the test's `__filename`. */
export async function repeatable<T>(seed: number, file: string, run: () => Promise<T>): Promise<T> {
  const title = expect.getState().currentTestName ?? "";
  try {
    return await run();
  } catch (error) {
    const command = repeatCommand(seed, path.relative(process.cwd(), file), title);
    throw new Error(
      `${error instanceof Error ? error.message : String(error)}\nSeed ${seed}; to repeat: ${command}`,
      { cause: error },
    );
  }
}

/** The command that runs one test of a file again with a seed; of a fault matrix it runs the row. */
export function repeatCommand(seed: number, file: string, title: string): string {
  const config = file.endsWith(".soak.test.ts") ? "--config jest.soak.config.js " : "";
  // Where many seeds run a file of `npm test`, its titles come after the seed's.
  const [name] = /\brow [A-Z]?\d+:/.exec(title) ?? [title.replace(/^seed \d+ /, "")];
  const pattern = name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("'", ".");
  return `FLEETWRIGHT_SEED=${seed} npx jest ${config}${file} -t '${pattern}'`;
}
