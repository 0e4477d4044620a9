import { AddressRange } from "./address-range";
import { Distribution, type PoolArgs, type RkeClusterArgs } from "./rke-args";
import { NETWORKS } from "./ports";
import { plain, type Problem } from "./problem";
import { versionProblems } from "./versions";

const NAME = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
/** A load balancer's name has 32 characters, of which the engine and the ports take twelve. */
const LONGEST_NAME = 20;
const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** What is wrong with a cluster's name. */
export function nameProblems(where: string, name: string): Problem[] {
  return NAME.test(name) && name.length <= LONGEST_NAME
    ? []
    : [
        `${where} is ${JSON.stringify(name)}: use up to ${LONGEST_NAME} small letters, digits and hyphens, beginning with a letter.`,
      ];
}

/** All that is wrong with the arguments of a cluster, before anything is made. */
export function rkeProblems(name: string, args: RkeClusterArgs): Problem[] {
  const count = args.servers?.count ?? 3;
  return [
    ...nameProblems("the cluster's name", name),
    ...versionProblems(args.distribution ?? Distribution.Rke2, args.version),
    ...serverProblems(count, args.network.privateSubnets.length),
    ...(args.distribution === Distribution.Rke ? [] : memberProblems("rejoin", args.rejoin ?? [], count)),
    ...memberProblems("servers.volumeSnapshotIds", Object.keys(args.servers?.volumeSnapshotIds ?? {}), count),
    ...loginProblems(args),
    ...rangeProblems(args),
    ...apiProblems(args),
    ...poolProblems(args.pools ?? []),
    ...digestProblems(args.release?.digests ?? {}),
  ];
}

/**
 * etcd needs more than half of its members. An even number tolerates no more than the odd one below it, and where one zone
 * holds half of them, losing that zone loses the cluster.
 */
export function serverProblems(count: number, zones: number): Problem[] {
  if (![1, 3, 5].includes(count))
    return [`servers.count is ${count}: use 1, 3 or 5, so that etcd has a majority.`];
  const mostInOneZone = Math.ceil(count / Math.max(zones, 1));
  return count > 1 && mostInOneZone > (count - 1) / 2
    ? [
        `servers.count is ${count} over ${zones} ${zones === 1 ? "zone" : "zones"}: losing one zone would lose the majority of etcd. Use 3 zones, or 1 server.`,
      ]
    : [];
}

function memberProblems(where: string, members: readonly string[], count: number): Problem[] {
  const known = Array.from({ length: count }, (_, index) => `server-${index}`);
  return members
    .filter((member) => !known.includes(member))
    .map((member) => `${where} names ${JSON.stringify(member)}: the members are ${known.join(", ")}.`);
}

function loginProblems({ login }: RkeClusterArgs): Problem[] {
  const key: unknown = login.privateKey;
  const text = plain(login.privateKey);
  if (key === undefined || text === "") {
    return ["login.privateKey is missing: give the private SSH key for the nodes, as a secret."];
  }
  return text === undefined || text.includes("PRIVATE KEY")
    ? []
    : ["login.privateKey is no private key: give the text of the file, with its BEGIN and END lines."];
}

function rangeProblems({ network, podNetwork, distribution }: RkeClusterArgs): Problem[] {
  const ranges: [string, string | undefined][] = [
    ["network.cidr", plain(network.cidr)],
    ["podNetwork.clusterCidr", podNetwork?.clusterCidr ?? "10.42.0.0/16"],
    ["podNetwork.serviceCidr", podNetwork?.serviceCidr ?? "10.43.0.0/16"],
  ];
  const parsed = ranges.flatMap(([where, text]) =>
    text === undefined ? [] : [{ where, text, range: AddressRange.parse(text) }],
  );
  const cni = podNetwork?.cni ?? "canal";
  return [
    ...parsed.flatMap(({ where, text, range }) =>
      range === undefined
        ? [`${where} is ${JSON.stringify(text)}: use a range of addresses like 10.42.0.0/16.`]
        : [],
    ),
    ...parsed.flatMap((one, index) =>
      parsed
        .slice(index + 1)
        .flatMap((other) =>
          one.range !== undefined && other.range !== undefined && one.range.overlaps(other.range)
            ? [
                `${one.where} (${one.text}) and ${other.where} (${other.text}) overlap: give them ranges apart.`,
              ]
            : [],
        ),
    ),
    ...(Object.hasOwn(NETWORKS, cni) && (distribution !== Distribution.Rke || cni === "canal")
      ? []
      : [
          `podNetwork.cni is ${JSON.stringify(cni)}: use ${distribution === Distribution.Rke ? "canal with rke" : `one of ${Object.keys(NETWORKS).join(", ")}`}.`,
        ]),
  ];
}

function apiProblems({ api, login, podNetwork, network }: RkeClusterArgs): Problem[] {
  const lists: [string, readonly unknown[]][] = [
    ["api.cidrs", api?.cidrs ?? []],
    ["login.fromCidrs", login.fromCidrs ?? []],
    ["podNetwork.nodePortCidrs", podNetwork?.nodePortCidrs ?? []],
  ];
  return [
    ...lists.flatMap(([where, list]) =>
      list.flatMap((range) =>
        range === "0.0.0.0/0"
          ? [`${where} has 0.0.0.0/0, which is everyone: name the ranges that need it.`]
          : [],
      ),
    ),
    ...(api?.isPublic === true && (network.publicSubnets ?? []).length === 0
      ? ["api.isPublic is true, but the network has no public subnets: name them, or leave the API inside."]
      : []),
  ];
}

/** What is wrong with pools. */
export function poolProblems(pools: readonly PoolArgs[]): Problem[] {
  const names = pools.map(({ name }) => name);
  return [
    ...pools.flatMap((pool, index) => onePoolProblems(`pools[${index}]`, pool)),
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `pools has ${JSON.stringify(name)} twice: give every pool a name of its own.`),
    ...(names.includes("servers")
      ? [`pools has "servers", which is the servers' own pool: use another name.`]
      : []),
  ];
}

function onePoolProblems(where: string, pool: PoolArgs): Problem[] {
  const count = pool.count ?? 2;
  const [min, max] = [pool.min ?? count, pool.max ?? count];
  return [
    ...nameProblems(`${where}.name`, pool.name),
    ...(Number.isInteger(count) && min >= 0 && min <= count && count <= max
      ? []
      : [`${where} has min ${min}, count ${count}, max ${max}: use whole numbers with min ≤ count ≤ max.`]),
    ...(pool.taints ?? []).flatMap(({ effect }, index) =>
      EFFECTS.includes(effect)
        ? []
        : [
            `${where}.taints[${index}].effect is ${JSON.stringify(effect)}: use one of ${EFFECTS.join(", ")}.`,
          ],
    ),
    ...Object.keys(pool.labels ?? {}).flatMap((key) =>
      key.startsWith("fleetwright.dev/") || /(^|\.)(kubernetes|k8s)\.io\//.test(key)
        ? [
            `${where}.labels has ${JSON.stringify(key)}: labels of fleetwright.dev and kubernetes.io are not free to set.`,
          ]
        : [],
    ),
  ];
}

function digestProblems(digests: Readonly<Record<string, string>>): Problem[] {
  return Object.entries(digests).flatMap(([version, digest]) =>
    /^[0-9a-f]{64}$/.test(digest)
      ? []
      : [
          `release.digests[${JSON.stringify(version)}] is ${JSON.stringify(digest)}: use the SHA-256 in 64 hex digits.`,
        ],
  );
}
