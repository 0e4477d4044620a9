import { parseCron } from "./cron";

// A Sunday.
const at = (time: string): Date => new Date(`2026-11-15T${time}:00`);

test.each<[string, string, boolean]>([
  ["0 */12 * * *", "00:00", true],
  ["0 */12 * * *", "12:00", true],
  ["0 */12 * * *", "12:01", false],
  ["0 */12 * * *", "06:00", false],
  ["*/5 * * * *", "10:35", true],
  ["1,2,30-32 * * * *", "10:31", true],
  ["1,2,30-32 * * * *", "10:33", false],
  ["0 0 * * 7", "00:00", true],
  ["0 0 * * 1-5", "00:00", false],
  ["0 0 16 * 0", "00:00", true],
  ["@hourly", "09:00", true],
  ["@every 1m", "09:17", true],
])("%s at %s on a Sunday: %s", (text, time, due) => expect(parseCron(text)(at(time))).toBe(due));

test.each(["", "* * * *", "60 * * * *", "a * * * *", "*/0 * * * *", "5-1 * * * *"])("refuses %j", (text) => {
  expect(() => parseCron(text)).toThrow("etcd-snapshot-schedule-cron");
});
