import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { silentLogger } from "../../runtime";
import { hasSelinux, SelinuxLabels } from "./selinux-labels";
import type { HostUnits } from "./units";

let proc: string;
beforeEach(() => {
  proc = mkdtempSync(path.join(tmpdir(), "fleetwright-proc-"));
  mkdirSync(path.join(proc, "1/attr"), { recursive: true });
});
afterEach(() => {
  rmSync(proc, { recursive: true });
});
const label = (text: string): void => writeFileSync(path.join(proc, "1/attr/current"), text);

/** What would be started on a host. */
class StartedUnits implements HostUnits {
  readonly commands: (readonly string[])[] = [];
  readonly names = new Set<string>();
  fails = false;

  start(name: string, argv: readonly string[]): Promise<void> {
    if (this.fails) return Promise.reject(new Error("no bus"));
    this.names.add(name);
    this.commands.push(argv);
    return Promise.resolve();
  }
  isRunning(): Promise<boolean> {
    return Promise.resolve(false);
  }
  stop(): Promise<void> {
    return Promise.resolve();
  }
}

test.each<[string, string | undefined, boolean]>([
  ["SELinux", "system_u:system_r:init_t:s0\0", true],
  ["AppArmor", "unconfined\n", false],
  ["AppArmor with a profile", "/usr/sbin/x (enforce)\n", false],
  ["nothing", "", false],
  ["no such file", undefined, false],
])("a host is known by the label of its first process: %s", async (_what, text, wanted) => {
  if (text !== undefined) label(text);
  expect(await hasSelinux(proc)).toBe(wanted);
});

test("the host's tool restores labels of all that was written, once, and again what failed", async () => {
  label("system_u:system_r:init_t:s0\0");
  const units = new StartedUnits();
  const labels = new SelinuxLabels(proc, units, silentLogger);
  await labels.restore();
  labels.written("/etc/shadow");
  labels.written("/etc/shadow");
  units.fails = true;
  await labels.restore();
  units.fails = false;
  labels.written("/home/ada");
  await labels.restore();
  await labels.restore();
  expect(units.commands).toEqual([["/usr/sbin/restorecon", "-i", "/etc/shadow", "/home/ada"]]);
  for (let count = 0; count < 1200; count++) labels.written(`/home/u${count}`);
  await labels.restore();
  expect(units.commands.slice(1).map((argv) => argv.length - 2)).toEqual([500, 500, 200]);
  expect(units.names.size).toBe(4);
});

test("without SELinux nothing is started", async () => {
  label("unconfined\n");
  const units = new StartedUnits();
  const labels = new SelinuxLabels(proc, units, silentLogger);
  labels.written("/etc/shadow");
  await labels.restore();
  expect(units.commands).toEqual([]);
});
