import type { Running } from "./fixture";

/** The writes of a coordinator within a span in which nothing happens. */
export async function writesWithin(running: Running, ms: number): Promise<string[]> {
  const from = running.writes().length;
  await new Promise((resolve) => setTimeout(resolve, ms));
  return running.writes().slice(from);
}

/** Waits until a coordinator has written nothing for a while. */
export async function quiet(running: Running, forMs = 1000, timeoutMs = 120_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    if ((await writesWithin(running, forMs)).length === 0) return;
    if (performance.now() > end)
      throw new Error(`It still writes after ${timeoutMs} ms: ${running.writes().slice(-5).join(", ")}`);
  }
}
