// Decides whether a cluster is ahead of what its file declares. Pure.
import { compareVersions, parseVersion } from "../api/kubernetes-versions";
import type { ClusterVersions } from "./cluster-versions";

/** Phases in which an upgrade does no more. */
const ENDED = ["Aborted", "Failed", "Succeeded"];

/** What to tell whoever previews a file whose cluster is ahead of it; undefined if it is not. */
export function aheadMessage(file: string, cluster: ClusterVersions): string | undefined {
  const servers = cluster.servers.filter(({ version }) => isNewer(version, file));
  const upgrades = cluster.upgrades.filter(({ version }) => isNewer(version, file));
  const declared =
    cluster.declared !== undefined && isNewer(cluster.declared, file) ? cluster.declared : undefined;
  const reached = [
    ...upgrades.map(({ version }) => version),
    ...(declared === undefined ? [] : [declared]),
    // Last: a kubelet may leave out the suffix of its distribution, which a file must have.
    ...servers.map(({ version }) => version),
  ].reduce<string | undefined>(
    (newest, version) => (newest === undefined || isNewer(version, newest) ? version : newest),
    undefined,
  );
  if (reached === undefined) return undefined;
  const running = upgrades.filter(({ phase }) => !ENDED.includes(phase)).map(({ name }) => name);
  return [
    `The cluster is ahead of this file: cluster.version is ${file}, and the cluster has gone to ${reached} (${[
      ...servers.map(({ name, version }) => `${name} runs ${version}`),
      ...upgrades.map(({ name, version, phase }) => `ClusterUpgrade ${name} to ${version}: ${phase}`),
      ...(declared === undefined ? [] : [`the last pulumi up declared ${declared}`]),
    ].join("; ")}).`,
    `A node that this file makes or replaces would come with ${file}, and servers would be restarted with it.`,
    running.length === 0
      ? `Set fleetwright:cluster.version to ${reached} and remove fleetwright:upgradeTo before pulumi up.`
      : `Wait until ${running.join(", ")} has ended, then set fleetwright:cluster.version to ${reached} and remove fleetwright:upgradeTo; until then, no pulumi up that touches nodes.`,
  ].join(" ");
}

function isNewer(version: string, than: string): boolean {
  const [a, b] = [parseVersion(version), parseVersion(than)];
  if (a === undefined || b === undefined) return false;
  const order = compareVersions(a, b);
  if (order !== 0) return order > 0;
  const [release, other] = [releaseOf(version), releaseOf(than)];
  return release !== undefined && other !== undefined && release > other;
}

/** The number of a release of RKE2 of one Kubernetes version. */
function releaseOf(version: string): number | undefined {
  const found = /\+rke2r(\d+)$/.exec(version)?.[1];
  return found === undefined ? undefined : Number(found);
}
