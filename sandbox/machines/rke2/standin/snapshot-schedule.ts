import { parseSchedule } from "./cron";
import type { Layout } from "./layout";
import type { Settings } from "./settings";
import { saveOrLog, Snapshots } from "./snapshots";

const POLL_MS = 5000;

/** Takes snapshots of etcd as scheduled by `etcd-snapshot-schedule-cron`. */
export function scheduleSnapshots(settings: Settings, layout: Layout): void {
  if (settings.snapshots.disabled) return;
  const schedule = parseSchedule(settings.snapshots.schedule);
  const snapshots = new Snapshots(settings, layout);
  let next = schedule(new Date());
  setInterval(() => {
    const now = new Date();
    if (now < next) return;
    next = schedule(now);
    void saveOrLog(snapshots, settings.snapshots.name);
  }, POLL_MS);
}
