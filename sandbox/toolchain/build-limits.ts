import os from "node:os";

/** What a machine has for builds. */
export interface Machine {
  cores: number;
  /** Memory that is free to use, in bytes. */
  memory: number;
}

/** How Go builds share a machine. */
export interface BuildLimits {
  /** How many `go build` run at once. */
  builds: number;
  /** How many compilers each of them runs at once. */
  compilers: number;
  /** Settings of the compilers' own garbage collector. */
  collector: Readonly<Record<string, string>>;
}

const GIB = 2 ** 30;
/** The rest is left to the linkers, to Go itself and to whatever else runs. */
const SHARE_OF_MEMORY = 0.75;
/** No compiler of ours has needed more. */
const MAX_LIMIT = 3 * GIB;
/** The largest packages do not fit into less: the collector would run without end. */
const MIN_LIMIT = GIB;

/**
 * Chooses how many builds run at once and how much memory a compiler gets. Two builds keep the cores busy while one of
 * them links or waits for one large package. Compilers are short-lived: without a garbage collector they take a quarter
 * less processor time, as long as the memory lasts.
 */
export function buildLimits({ cores, memory }: Machine): BuildLimits {
  const limit = (builds: number): number => (memory * SHARE_OF_MEMORY) / (builds * cores);
  const builds = cores > 1 && limit(2) >= MIN_LIMIT ? 2 : 1;
  const bytes = Math.min(MAX_LIMIT, limit(builds));
  return {
    builds,
    compilers: cores,
    collector: bytes < MIN_LIMIT ? {} : { GOGC: "off", GOMEMLIMIT: `${Math.floor(bytes / 2 ** 20)}MiB` },
  };
}

/** This machine as it is now; limits of a container count. */
export function thisMachine(): Machine {
  return { cores: os.availableParallelism(), memory: process.availableMemory() };
}
