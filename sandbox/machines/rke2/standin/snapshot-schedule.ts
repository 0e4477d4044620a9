import { parseCron } from "./cron";
import type { Layout } from "./layout";
import type { Settings } from "./settings";
import { saveOrComplain, Snapshots } from "./snapshots";

const LOOK_MS = 5000;

/** Takes snapshots when the configured schedule says so. */
export function scheduleSnapshots(settings: Settings, layout: Layout): void {
  if (settings.snapshots.disabled) return;
  const due = parseCron(settings.snapshots.schedule);
  const snapshots = new Snapshots(settings, layout);
  let done = minuteOf(new Date());
  setInterval(() => {
    const now = new Date();
    if (minuteOf(now) === done || !due(now)) return;
    done = minuteOf(now);
    void saveOrComplain(snapshots, settings.snapshots.name);
  }, LOOK_MS);
}

function minuteOf(date: Date): number {
  return Math.floor(date.getTime() / 60_000);
}
