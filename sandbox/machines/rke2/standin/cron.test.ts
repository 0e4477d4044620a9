import { parseSchedule } from "./cron";

const local = (time: string): Date => new Date(`2026-${time}:00`);
// A Sunday.
const AFTER = local("11-15T09:17");

test.each([
  ["0 */12 * * *", "11-15T12:00"],
  ["*/5 * * * *", "11-15T09:20"],
  ["5/15 * * * *", "11-15T09:20"],
  ["1,2,30-32 * * * *", "11-15T09:30"],
  ["17 9 * * *", "11-16T09:17"],
  ["0 0 * * 0", "11-22T00:00"],
  ["0 0 * * mon-fri", "11-16T00:00"],
  ["0 0 ? * *", "11-16T00:00"],
  // Either the day of the month or the day of the week.
  ["0 0 18 * 0", "11-18T00:00"],
  ["0 0 30 * 0", "11-22T00:00"],
  ["@hourly", "11-15T10:00"],
  ["@monthly", "12-01T00:00"],
  ["@every 1m", "11-15T09:18"],
  ["@every 1h30m", "11-15T10:47"],
])("%s is due at %s", (text, time) => expect(parseSchedule(text)(AFTER)).toEqual(local(time)));

test.each([
  ...["", "* * * *", "* * * * * *", "60 * * * *", "a * * * *", "*/0 * * * *", "5-1 * * * *"],
  ...["0 0 * * 7", "0 0 L * *", "0 0 15W * *", "0 0 * * 1#1", "@never", "@every 5"],
])("refuses %j, as robfig/cron does", (text) => {
  expect(() => parseSchedule(text)).toThrow("etcd-snapshot-schedule-cron: cannot parse");
});
