/**
 * Node's own settings that keep the process small; to be given before the program. With a small nursery, and a heap that
 * grows by half and not to the fourfold before it is collected, the process is as small after a burst as before, for a
 * little more collecting. Collected by the one thread that works, and without V8's pool of threads: their buffers were 13 MB
 * of 110, and a heap this small needs no help. (`--optimize-for-size` and `--no-opt` take less still, and a fifth to a third
 * more time.)
 */
export const NODE_OPTIONS: readonly string[] = [
  "--max-semi-space-size=2",
  "--heap-growing-percent=50",
  "--single-threaded-gc",
  "--v8-pool-size=0",
];
