// Kills a process before its Nth write, for tests of crash recovery.

/** Where a process is made to die. */
export interface Failpoint {
  /** The write, counted from 1, before which it dies. */
  write: number;
  /** How. Must not return. */
  die: () => never;
}

/** Reads `write=7`; tests of crashes give it by the environment. */
export function parseFailpoint(text: string): number {
  const found = /^write=([1-9][0-9]*)$/.exec(text)?.[1];
  if (found === undefined)
    throw new Error(`The failpoint is ${JSON.stringify(text)}: give write=N, with N from 1.`);
  return Number(found);
}

/** A guard of writes that dies before the chosen one. Dying before the next write is dying after this one. */
export function failingGuard({ write, die }: Failpoint): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count >= write) die();
  };
}

/** Ends this process at once, as a machine that loses its power does. */
export function killProcess(): never {
  process.kill(process.pid, "SIGKILL");
  throw new Error("The process is being killed.");
}
