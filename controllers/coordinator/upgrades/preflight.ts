// Decides whether an upgrade may begin. A pure function of what preflight-facts.ts found.
import { compareVersions, parseVersion } from "../../../api/kubernetes-versions";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import type { StackRecord } from "./cluster-facts";
import { NO_DIGEST } from "./plan";
import { firstFew } from "./progress-message";
import { isControlPlane, isReady, kubeletVersion } from "./versions";

/** What preflight looks at besides nodes. */
export interface PreflightFacts {
  nodes: readonly Node[];
  selected: readonly Node[];
  /** As the API server says of itself. */
  serverVersion: string;
  /** When the newest good snapshot of etcd was made; undefined if none is known. */
  newestSnapshot: number | undefined;
  /** Budgets that allow no disruption now, as `namespace/name`. */
  blockingBudgets: readonly string[];
  /** Pods that draining would wait for in vain, each with its reason and the fix. */
  blockingPods: readonly string[];
  /** Nodes on which an agent is Ready; undefined if nobody looked. */
  agents: ReadonlySet<string> | undefined;
  /** What the stack that manages the cluster declares. */
  stack: StackRecord | undefined;
  now: number;
}

const KUBELET_SKEW = 3;

/** Everything that speaks against beginning, each with its fix. */
export function preflight({ spec }: UpgradeObject, facts: PreflightFacts): string[] {
  const skipped = (check: UpgradeObject["spec"]["preflight"]["skip"][number]): boolean =>
    spec.preflight.skip.includes(check);
  return [
    ...(skipped("NodeHealth") ? [] : unhealthy(facts)),
    ...(skipped("VersionSkew") ? [] : skew(spec.version, facts)),
    ...(skipped("EtcdSnapshot") ? [] : staleSnapshot(spec.preflight.etcdSnapshotMaxAgeSeconds, facts)),
    ...(skipped("PodDisruptionBudgets") ? [] : budgets(facts)),
    ...(skipped("BlockingPods") ? [] : blockers(facts)),
    ...(skipped("Agents") ? [] : agents(facts)),
    ...(skipped("StackVersion") ? [] : otherVersion(spec.version, facts)),
    ...(spec.installer === undefined && spec.digest === undefined ? [NO_DIGEST] : []),
  ];
}

function unhealthy({ nodes }: PreflightFacts): string[] {
  const bad = nodes.filter((node) => !isReady(node)).map(({ metadata }) => metadata.name);
  return bad.length === 0 ? [] : [`not Ready: ${firstFew(bad)}; repair or remove them`];
}

function skew(version: string, { nodes, selected, serverVersion }: PreflightFacts): string[] {
  const target = parseVersion(version);
  if (target === undefined) return [`the version ${JSON.stringify(version)} cannot be read`];
  const problems: string[] = [];
  for (const node of selected) {
    const from = parseVersion(kubeletVersion(node));
    const name = `${node.metadata.name} (${kubeletVersion(node)})`;
    if (from === undefined) problems.push(`the version of ${name} cannot be read`);
    else if (compareVersions(target, from) < 0)
      problems.push(`${name} is newer than ${version}; nodes cannot go back`);
    else if (target.major !== from.major || target.minor - from.minor > 1)
      problems.push(`${name} is more than one minor version before ${version}; go one at a time`);
  }
  const server = parseVersion(serverVersion);
  const withControlPlane = selected.some(isControlPlane) || !nodes.some(isControlPlane);
  if (server !== undefined && !withControlPlane && compareVersions(target, server) > 0)
    problems.push(
      `${version} is newer than the API server (${serverVersion}); upgrade the control plane first`,
    );
  if (selected.some(isControlPlane)) {
    const left = nodes.filter((node) => {
      const found = parseVersion(kubeletVersion(node));
      return !selected.includes(node) && found !== undefined && target.minor - found.minor > KUBELET_SKEW;
    });
    if (left.length > 0)
      problems.push(
        `${firstFew(left.map(({ metadata }) => metadata.name))} would be more than ${KUBELET_SKEW} minor versions behind; upgrade them first`,
      );
  }
  return problems.length > 5 ? [...problems.slice(0, 5), `and ${problems.length - 5} more`] : problems;
}

function staleSnapshot(maxAgeSeconds: number, { nodes, newestSnapshot, now }: PreflightFacts): string[] {
  // A hosted control plane keeps its own.
  if (!nodes.some(isControlPlane)) return [];
  if (newestSnapshot === undefined) return ["no snapshot of etcd is known; make one, or skip EtcdSnapshot"];
  const age = Math.round((now - newestSnapshot) / 1000);
  return age <= maxAgeSeconds
    ? []
    : [`the newest snapshot of etcd is ${age} s old, more than ${maxAgeSeconds}; make one`];
}

function budgets({ blockingBudgets }: PreflightFacts): string[] {
  return blockingBudgets.length === 0
    ? []
    : [
        `PodDisruptionBudgets that allow no disruption: ${firstFew(blockingBudgets)}; add replicas or loosen them`,
      ];
}

function blockers({ blockingPods }: PreflightFacts): string[] {
  return blockingPods.length === 0 ? [] : [`pods that cannot be drained: ${firstFew(blockingPods)}`];
}

function agents({ selected, agents: found }: PreflightFacts): string[] {
  const without = found === undefined ? [] : selected.filter(({ metadata }) => !found.has(metadata.name));
  return without.length === 0
    ? []
    : [
        `no agent is Ready on ${firstFew(without.map(({ metadata }) => metadata.name))}: look at the pods of the DaemonSet fleetwright-agent`,
      ];
}

/** One truth about versions: a cluster that a stack built has the version that the stack's file says, or agrees to. */
function otherVersion(target: string, { stack }: PreflightFacts): string[] {
  if (stack?.version === undefined || [stack.version, stack.upgradeTo].includes(target)) return [];
  return [
    `the stack ${stack.stack} declares ${stack.version} for this cluster and would bring nodes back to it, or make new ones with it: ` +
      `raise cluster.version there and run pulumi up instead of this, or let the stack agree by fleetwright:upgradeTo: ${target} and pulumi up`,
  ];
}
