/** A piece of work that may have to wait for others. */
export interface Scheduled<T> {
  after: readonly T[];
}

/** How {@link runSchedule} runs. */
export interface ScheduleOptions<T> {
  /** How many run at once. */
  slots: number;
  /** Of those that can begin, the one with the largest weight begins first. */
  weight: (item: T) => number;
}

/**
 * Runs every item, each after those it names, `slots` at a time. The first failure aborts the signal that the others
 * get and begins nothing more; it is thrown when all have ended, so that nothing goes on behind the caller's back.
 */
export async function runSchedule<T extends Scheduled<T>>(
  items: readonly T[],
  { slots, weight }: ScheduleOptions<T>,
  run: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const waiting = new Set(items);
  const finished = new Set<T>();
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  const begin = (): void => {
    while (failure === undefined && running.size < slots) {
      const next = [...waiting]
        .filter(({ after }) => after.every((other) => finished.has(other)))
        .sort((a, b) => weight(b) - weight(a))[0];
      if (next === undefined) return;
      waiting.delete(next);
      const work: Promise<void> = run(next, stop.signal).then(
        () => {
          finished.add(next);
          running.delete(work);
        },
        (error: unknown) => {
          failure ??= { error };
          running.delete(work);
          stop.abort();
        },
      );
      running.add(work);
    }
  };
  begin();
  while (running.size > 0) {
    await Promise.race(running);
    begin();
  }
  if (failure !== undefined) throw failure.error;
  if (waiting.size > 0) throw new Error("items wait for each other or for items that are not there");
}
