import os from "node:os";
import { setTimeout as pause } from "node:timers/promises";

const WINDOW_MS = 2000;
const BUSY_SHARE = 0.1;
const PATIENCE_MS = 60_000;

/**
 * Waits until the machine has little to do: what was started before a measurement, such as a server that digests what was
 * written to it, would otherwise be counted against whoever is measured first. Gives up after a minute and says so.
 */
export async function stillMachine(signal: AbortSignal, say: (line: string) => void): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  let share = await busyShare(signal);
  while (share > BUSY_SHARE && Date.now() < deadline) share = await busyShare(signal);
  if (share > BUSY_SHARE) say(`the machine does not come to rest: ${(share * 100).toFixed(0)} % busy`);
}

async function busyShare(signal: AbortSignal): Promise<number> {
  const before = spent();
  await pause(WINDOW_MS, undefined, { signal });
  const after = spent();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function spent(): { idle: number; all: number } {
  const times = os.cpus().map(({ times: of }) => of);
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.reduce((sum, of) => sum + Object.values(of).reduce((part, time) => part + time, 0), 0),
  };
}
