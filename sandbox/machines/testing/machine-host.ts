import { mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { waitFor } from "../../../lib/deadline";
import { identify } from "../../../lib/process";
import { MachineHost, type MachineHostOptions } from "../machine-host";

/** `describe` where machines can run; elsewhere `describe.skip` with the reason in its name. */
export function describeMachines(name: string, suite: () => void): void {
  const availability = MachineHost.available();
  // Booting takes a few seconds on a quiet computer, and many on a busy one.
  jest.setTimeout(180_000);
  beforeAll(() => (availability.ok ? removeLeftovers() : undefined));
  if (availability.ok) describe(name, suite);
  else describe.skip(`${name} (skipped: ${availability.reason})`, suite);
}

/** A folder whose name tells which process made it: what that one left can be removed once it is gone, and not before. */
function ownFolder(kind: "machines" | "cloud"): string {
  const tick = identify(process.pid)?.started.split(":").at(-1) ?? "0";
  return realpathSync(mkdtempSync(path.join(os.tmpdir(), `fleetwright-${kind}-${process.pid}.${tick}-`)));
}

/** An empty folder for a cloud; its machine host is in `machines` below. */
export function testCloudFolder(): string {
  return ownFolder("cloud");
}

/** An empty folder for a machine host. */
export function testFolder(): string {
  return ownFolder("machines");
}

/** A machine host in a folder of its own. */
export function testMachineHost(options: Partial<MachineHostOptions> = {}): MachineHost {
  return new MachineHost({ dir: testFolder(), ...options });
}

/** Removes what killed test runs left. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(os.tmpdir())) {
    const [, kind, pid, tick] = /^fleetwright-(machines|cloud)-(\d+)\.(\d+)-/.exec(name) ?? [];
    if (kind === undefined || identify(Number(pid))?.started.endsWith(`:${tick ?? ""}`) === true) continue;
    const folder = path.join(os.tmpdir(), name);
    await new MachineHost({ dir: kind === "cloud" ? path.join(folder, "machines") : folder }).destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until a machine has booted and cloud-init is done. */
export async function booted(machineHost: MachineHost, id: string): Promise<void> {
  const script = "systemctl is-system-running; test -e /run/cloud-init/result.json && echo done";
  await waitFor(
    `machine ${id} to have booted`,
    async () => {
      const { stdout, stderr } = await machineHost
        .inside(id)
        .attempt(["sh", "-c", script], { timeoutMs: 10_000 });
      return /^(running|degraded)\ndone$/m.test(stdout) || `${stdout} ${stderr}`;
    },
    { timeoutMs: 90_000, intervalMs: 200 },
  );
}
