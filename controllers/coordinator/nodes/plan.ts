// Decides which nodes the cloud is asked about, what its answers mean, and how many nodes may go. Pure functions.
import type { Node } from "../native-resources";

/** A machine of AWS. */
export interface Machine {
  region: string;
  id: string;
}

/** The machine of a provider id such as `aws:///eu-central-1a/i-0123456789abcdef0`; undefined for any other. */
export function machineOf({ spec }: Node): Machine | undefined {
  const found = /^aws:\/\/[^/]*\/((?:[a-z]+-)+\d+)[a-z0-9-]*\/(i-[0-9a-f]+)$/.exec(spec?.providerID ?? "");
  const [, region, id] = found ?? [];
  return region === undefined || id === undefined ? undefined : { region, id };
}

/** Whether the node says that it works. */
export function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}

const CONTROL_PLANE = ["control-plane", "etcd", "master"].map((role) => `node-role.kubernetes.io/${role}`);

/** Whether the node is part of the control plane: RKE2 takes the etcd member of such a Node out when the Node is deleted. */
export function isControlPlane({ metadata: { labels = {} } }: Node): boolean {
  return CONTROL_PLANE.some((role) => Object.hasOwn(labels, role));
}

/** What the cloud says of a machine. */
export type Verdict = "gone" | "exists" | "unclear";

/**
 * What a state means. Without one, the machine is gone only if the same answer knows a machine whose node is Ready:
 * credentials of another account, or for another region, know none of ours.
 */
export function verdictOf(state: string | undefined, knowsOthers: boolean): Verdict {
  if (state === "terminated") return "gone";
  if (state === undefined) return knowsOthers ? "gone" : "unclear";
  // One that is on its way out may still be draining; it is asked about again.
  return state === "shutting-down" ? "unclear" : "exists";
}

/** Ids of machines in a region whose nodes are Ready: any answer that knows none of them is not about this cluster. */
export function witnesses(nodes: readonly Node[], region: string, most = 5): string[] {
  return nodes
    .filter(isReady)
    .flatMap((node) => machineOf(node) ?? [])
    .filter((machine) => machine.region === region)
    .slice(0, most)
    .map(({ id }) => id);
}

/** Whether so many nodes without a machine are no loss to be tidied up, but something to be looked at by a person. */
export function isMassLoss(gone: number, { total, ready }: { total: number; ready: number }): boolean {
  return ready === 0 || (gone > 1 && gone * 2 > total);
}

/** How many more nodes may be removed now, so that only so many go within a window. */
export function allowance(removals: readonly number[], now: number, windowMs: number, most: number): number {
  return Math.max(0, most - removals.filter((at) => now - at < windowMs).length);
}
