import { cloudStatusOf, type CloudStatus, type RunningCloud } from "../cloud";
import type { ControlPlaneStatus } from "../controlplane";
import { ExitCode } from "../../lib/failure";
import { Sandbox } from "../sandbox";

/** What one sandbox runs. */
export interface SandboxStatus {
  name: string;
  exists: boolean;
  /** Null if it never had one: only some stacks need it. */
  controlPlane: ControlPlaneStatus | null;
  cloud: (RunningCloud & CloudStatus) | null;
}

/** Prints what sandboxes run; the exit code says whether all of it is ready. */
export async function status(names: readonly string[], json: boolean): Promise<void> {
  const all = await Promise.all(names.map(statusOf));
  process.stdout.write(json ? `${JSON.stringify(all, undefined, 2)}\n` : all.map(describeStatus).join("\n"));
  if (!all.every(isReady)) process.exitCode = ExitCode.failed;
}

async function statusOf(name: string): Promise<SandboxStatus> {
  const sandbox = new Sandbox(name);
  const [exists, controlPlane, cloud] = await Promise.all([
    sandbox.exists(),
    sandbox.controlPlane(),
    sandbox.cloud(),
  ]);
  return {
    name,
    exists,
    controlPlane: controlPlane ?? null,
    cloud: cloud === undefined ? null : { ...cloud, ...(await cloudStatusOf(cloud)) },
  };
}

/** Whether the cloud runs, and of the control plane all of it or nothing. */
export function isReady({ controlPlane, cloud }: Pick<SandboxStatus, "controlPlane" | "cloud">): boolean {
  return cloud !== null && (controlPlane === null || isStopped(controlPlane) || controlPlane.ready);
}

function isStopped({ components }: ControlPlaneStatus): boolean {
  return components.length === 0;
}

/** The status of a sandbox for people. */
export function describeStatus(status: SandboxStatus): string {
  const { name, exists, controlPlane, cloud } = status;
  if (!exists) return `sandbox ${name}: does not exist (npm run sandbox -- up brings it up)\n`;
  if (cloud === null && (controlPlane === null || isStopped(controlPlane)))
    return `sandbox ${name}: stopped, its data is kept\n`;
  return [
    `sandbox ${name}: ${isReady(status) ? "ready" : "NOT READY"}`,
    ...(controlPlane === null || isStopped(controlPlane) ? [] : describeControlPlane(controlPlane)),
    ...(cloud === null ? ["  ✗ cloud: not running"] : describeCloud(cloud)),
    "",
  ].join("\n");
}

function describeControlPlane({ endpoint, kubeconfig, components }: ControlPlaneStatus): string[] {
  return [
    `  control plane ${endpoint}`,
    `  kubeconfig ${kubeconfig}`,
    ...components.map(({ name, pid, port, ready, problem, residentBytes }) =>
      [
        `  ${ready ? "✓" : "✗"} ${name.padEnd(25)}`,
        `process ${String(pid).padEnd(8)}`,
        `port ${String(port).padEnd(7)}`,
        residentBytes === undefined ? "" : `${Math.round(residentBytes / 1e6)} MB`,
        problem === undefined ? "" : `  ${problem}`,
      ].join(""),
    ),
  ];
}

function describeCloud(cloud: RunningCloud & CloudStatus): string[] {
  const size = cloud.residentBytes === undefined ? "" : `${Math.round(cloud.residentBytes / 1e6)} MB`;
  return [
    `  ✓ ${"cloud".padEnd(25)}process ${String(cloud.process.pid).padEnd(8)}${cloud.endpoint}   ${size}`,
    ...(cloud.reason === undefined ? [] : [`    no machines: ${cloud.reason}`]),
    ...cloud.machines.map(({ id, name, state, privateIp, zone }) => {
      const words = [(name ?? "").padEnd(24), privateIp.padEnd(16), zone.padEnd(16), state];
      return `    ${state === "running" ? "✓" : "✗"} ${id.padEnd(21)} ${words.join("")}`;
    }),
    ...cloud.balancers.map(({ name, ports }) => `    ✓ ${name} (ports ${ports.join(", ")})`),
    ...cloud.errors.map(({ key, step, message }) => `    ✗ ${step} ${key}: ${message}`),
  ];
}
