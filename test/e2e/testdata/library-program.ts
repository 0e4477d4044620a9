// Compiled by test/e2e/library.test.ts: the library's types, as a program in TypeScript sees them.
import { Cluster, ClusterKind, HostedCluster, NatMode, Network, RkeCluster, Users } from "fleetwright";
import type { ClusterArgs, PoolArgs, Transform, UserArgs } from "fleetwright";

const pools: PoolArgs[] = [{ name: "web", count: 3 }];
const users: UserArgs[] = [{ name: "jane", sudo: true }];
const args: ClusterArgs = {
  kind: ClusterKind.Hosted,
  version: "1.35",
  network: { nat: NatMode.PerZone },
  pools,
  transform: { hosted: { cluster: { deletionProtection: false } } },
};
// @ts-expect-error -- a number is no version
const wrong: ClusterArgs = { version: 1.35 };

export const make = (): unknown[] => [
  new Cluster("main", args),
  new Users("users", { users }),
  Network,
  RkeCluster,
  HostedCluster,
  wrong,
];
export type Override = Transform<{ size: number }>;
