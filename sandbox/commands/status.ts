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
  /** The hub's API server; null if it never had one. */
  hub: ControlPlaneStatus | null;
  /** Clusters with simulated nodes that a stack made members of the hub, by their names. */
  members: Record<string, ControlPlaneStatus>;
}

/** Prints what sandboxes run; the exit code says whether all of it is ready. */
export async function status(names: readonly string[], json: boolean): Promise<void> {
  const all = await Promise.all(names.map(statusOf));
  process.stdout.write(json ? `${JSON.stringify(all, undefined, 2)}\n` : all.map(describeStatus).join("\n"));
  if (!all.every(isReady)) process.exitCode = ExitCode.failed;
}

async function statusOf(name: string): Promise<SandboxStatus> {
  const sandbox = new Sandbox(name);
  const [exists, controlPlane, cloud, hub, members] = await Promise.all([
    sandbox.exists(),
    sandbox.controlPlane(),
    sandbox.cloud(),
    sandbox.hub(),
    sandbox.members(),
  ]);
  return {
    name,
    exists,
    controlPlane: controlPlane ?? null,
    cloud: cloud === undefined ? null : { ...cloud, ...(await cloudStatusOf(cloud)) },
    hub: hub ?? null,
    members,
  };
}

/** Whether the cloud runs, and of the control plane and the hub all or nothing; a hub can also run alone. */
export function isReady({
  controlPlane,
  cloud,
  hub,
  members,
}: Omit<SandboxStatus, "name" | "exists">): boolean {
  const planes = [controlPlane, hub, ...Object.values(members)].filter((plane) => !isStopped(plane));
  const complete = cloud !== null || (isStopped(controlPlane) && !isStopped(hub));
  return complete && planes.every((plane) => plane?.ready === true);
}

function isStopped(plane: ControlPlaneStatus | null): boolean {
  return plane === null || plane.components.length === 0;
}

/** The status of a sandbox for people. */
export function describeStatus(status: SandboxStatus): string {
  const { name, exists, controlPlane, cloud, hub, members } = status;
  if (!exists) return `sandbox ${name}: does not exist (npm run sandbox -- up brings it up)\n`;
  const others = cloud !== null || !isStopped(controlPlane);
  if (!others && isStopped(hub)) return `sandbox ${name}: stopped, its data is kept\n`;
  return [
    `sandbox ${name}: ${isReady(status) ? "ready" : "NOT READY"}`,
    ...describePlane("control plane", controlPlane),
    ...describePlane("hub", hub),
    ...Object.entries(members).flatMap(([member, plane]) => describePlane(`member ${member}`, plane)),
    ...(cloud !== null ? describeCloud(cloud) : others ? ["  ✗ cloud: not running"] : []),
    "",
  ].join("\n");
}

/** A control plane, or the hub, for people; nothing where it is stopped. */
export function describePlane(what: string, plane: ControlPlaneStatus | null): string[] {
  if (plane === null || isStopped(plane)) return [];
  const { endpoint, kubeconfig, components } = plane;
  return [
    `  ${what} ${endpoint}`,
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
