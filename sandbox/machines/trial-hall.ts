import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { waitFor } from "../deadline";
import { identify } from "../process";
import { hallKey } from "./addresses";
import { cgroupOf, membersOf } from "./cgroup";
import { run, type CommandResult } from "./command";
import { MachineHall, type HallOptions } from "./hall";
import { loopsBelow } from "./volume";

/** `describe` where machines can run; elsewhere a skipped one whose name says why. */
export function describeMachines(name: string, suite: () => void): void {
  const availability = MachineHall.available();
  // Booting takes a few seconds on a machine of its own and many on one that is shared.
  jest.setTimeout(180_000);
  beforeAll(() => (availability.ok ? sweepTrials() : undefined));
  if (availability.ok) describe(name, suite);
  else describe.skip(`${name} (skipped: ${availability.reason})`, suite);
}

/** Keys of one trial: who logs in, and what the machines show of themselves. */
export class TrialKeys {
  readonly #folder = mkdtempSync(path.join(os.tmpdir(), "fleetwright-keys-"));

  constructor() {
    for (const name of ["login", "host"]) {
      execFileSync("ssh-keygen", [
        "-q",
        "-t",
        "ed25519",
        "-N",
        "",
        "-C",
        name,
        "-f",
        path.join(this.#folder, name),
      ]);
    }
  }

  /** The public half of a key. */
  publicKey(name: "login" | "host"): string {
    return readFileSync(path.join(this.#folder, `${name}.pub`), "utf8").trim();
  }

  /** Cloud-config that gives a machine its host key, with more settings. */
  userData(more: Record<string, unknown> = {}): string {
    const hostKey = readFileSync(path.join(this.#folder, "host"), "utf8");
    const settings = {
      ssh_keys: { ed25519_private: hostKey, ed25519_public: this.publicKey("host") },
      ...more,
    };
    return `#cloud-config\n${JSON.stringify(settings)}\n`;
  }

  /** Logs in to a machine; its host key must be the one that was given to it. */
  async login(hall: MachineHall, ip: string, command: string, user = "debian"): Promise<CommandResult> {
    const known = path.join(this.#folder, `known-${ip}`);
    writeFileSync(known, `${ip} ${this.publicKey("host")}\n`);
    const settings = [
      ["UserKnownHostsFile", known],
      ["GlobalKnownHostsFile", "none"],
      ["StrictHostKeyChecking", "yes"],
      ["HostKeyAlgorithms", "ssh-ed25519"],
      ["IdentitiesOnly", "yes"],
      ["BatchMode", "yes"],
      ["ConnectTimeout", "2"],
    ].flatMap(([name, value]) => ["-o", `${name ?? ""}=${value ?? ""}`]);
    const key = path.join(this.#folder, "login");
    return hall.exec(["ssh", "-F", "none", "-i", key, ...settings, `${user}@${ip}`, command]);
  }

  /** Waits until a command over SSH succeeds and gives what it printed. */
  async eventually(hall: MachineHall, ip: string, command: string): Promise<string> {
    let printed = "";
    await waitFor(
      `a login at ${ip}`,
      async () => {
        const { code, stdout, stderr } = await this.login(hall, ip, command);
        printed = stdout;
        return code === 0 || stderr;
      },
      { timeoutMs: 90_000 },
    );
    return printed;
  }

  /** Removes the files. */
  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The folders of trials name the process that made them: what it left can be removed when it is gone, and not before. */
function ownFolder(kind: "hall" | "cloud"): string {
  const tick = identify(process.pid)?.started.split(":").at(-1) ?? "0";
  return realpathSync(mkdtempSync(path.join(os.tmpdir(), `fleetwright-${kind}-${process.pid}.${tick}-`)));
}

/** An empty folder for a cloud; its hall is in `machines` below. */
export function trialCloudFolder(): string {
  return ownFolder("cloud");
}

/** An empty folder for a hall. */
export function trialFolder(): string {
  return ownFolder("hall");
}

/** A hall in a folder of its own. */
export function trialHall(options: Partial<HallOptions> = {}): MachineHall {
  return new MachineHall({ dir: trialFolder(), ...options });
}

/** Removes what test runs left that were killed. */
async function sweepTrials(): Promise<void> {
  for (const name of readdirSync(os.tmpdir())) {
    const [, kind, pid, tick] = /^fleetwright-(hall|cloud)-(\d+)\.(\d+)-/.exec(name) ?? [];
    if (kind === undefined || identify(Number(pid))?.started.endsWith(`:${tick ?? ""}`) === true) continue;
    const folder = path.join(os.tmpdir(), name);
    await new MachineHall({ dir: kind === "cloud" ? path.join(folder, "machines") : folder }).destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until a machine has booted and cloud-init is done. */
export async function booted(hall: MachineHall, id: string): Promise<void> {
  const script = "systemctl is-system-running; test -e /run/cloud-init/result.json && echo done";
  await waitFor(
    `machine ${id} to have booted`,
    async () => {
      const { stdout, stderr } = await hall.inside(id).attempt(["sh", "-c", script], { timeoutMs: 10_000 });
      return /^(running|degraded)\ndone$/m.test(stdout) || `${stdout} ${stderr}`;
    },
    { timeoutMs: 90_000, intervalMs: 200 },
  );
}

/** Everything of a hall that the system still has, each told in a word. */
export async function tracesOf(folder: string): Promise<string[]> {
  const dir = existsSync(folder) ? realpathSync(folder) : folder;
  const key = hallKey(dir);
  const mentions = (text: string): boolean => text.includes(key) || text.includes(dir);
  const processes = (await run(["ps", "-eo", "pid,args"])).split("\n").filter(mentions);
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n").filter(mentions);
  const namespaces = existsSync("/run/netns") ? readdirSync("/run/netns").filter(mentions) : [];
  const groups = readdirSync("/sys/fs/cgroup").filter((name) =>
    existsSync(path.join("/sys/fs/cgroup", name, cgroupOf(key))),
  );
  return [
    ...processes.map((line) => `process ${line}`),
    ...membersOf(cgroupOf(key)).map((pid) => `process ${pid} in the control group`),
    ...mounts.map((line) => `mount ${line}`),
    ...(await loopsBelow(dir)).map((loop) => `loop device ${loop}`),
    ...namespaces.map((name) => `network namespace ${name}`),
    ...groups.map((name) => `control group in ${name}`),
    ...[`/run/fleetwright/${key}`].filter((file) => existsSync(file)),
  ];
}
