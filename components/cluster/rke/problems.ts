// What the arguments of a cluster on machines of your own may not be together. The single ones are checked by schema.ts.
import { below, found, plain, type Problem } from "../../problem";
import { check, type Checked, mapped, refined } from "../../schema";
import { withoutTransform } from "../../transform";
import { nameProblems, openRangeProblems, poolProblems } from "../common-schema";
import { ClusterKind } from "../args";
import { kindProblems } from "../identity/schema";
import { AddressRange } from "../network/address-range";
import { versionProblems } from "../versions";
import { Distribution, type RkeClusterArgs } from "./args";
import { freeProblems } from "./rke2/free-settings";
import { RELEASES, rkeClusterSchema, type RkeClusterSettings, withDerivedDefaults } from "./schema";
import { RKE_PROGRAM } from "./scripts/run-rke";

const privateKey = "PRIVATE KEY";
const PLACEHOLDERS = { version: "", login: { privateKey }, "login.privateKey": privateKey };

/** Fills in the defaults of a cluster's arguments, and finds all that is wrong with them. */
export function checkRkeCluster(name: string, args: RkeClusterArgs): Checked<RkeClusterSettings> {
  const checked = mapped(
    check(rkeClusterSchema, withoutTransform(args), { placeholders: PLACEHOLDERS }),
    withDerivedDefaults,
  );
  return refined(checked, (settings) => rkeProblems(name, settings));
}

function rkeProblems(name: string, settings: RkeClusterSettings): Problem[] {
  const { servers, distribution, network, rejoin, pools } = settings;
  return [
    ...nameProblems(name, "selfManaged"),
    ...versionProblems(distribution, settings.version),
    ...zoneProblems(servers.count, network.privateSubnets.length),
    ...(distribution === Distribution.Rke ? [] : memberProblems("rejoin", rejoin, servers.count)),
    ...memberProblems("servers.volumeSnapshotIds", Object.keys(servers.volumeSnapshotIds), servers.count),
    ...rangeProblems(settings),
    ...apiProblems(settings),
    ...freeSettingProblems(settings),
    ...below(
      "identity",
      kindProblems(settings.identity, distribution === Distribution.Rke ? ClusterKind.Rke : ClusterKind.Rke2),
    ),
    ...releaseProblems(settings),
    ...poolProblems(pools),
    ...(distribution === Distribution.Rke ? [...scalingProblems(pools), ...ecrProblems(settings)] : []),
  ];
}

/** An address that no packet leaves the network of the machine for, as the sandbox's. */
const LINK_LOCAL = /^http:\/\/(169\.254|127\.\d+)\.\d+\.\d+([:/]|$)/;

/**
 * What is installed runs as root on every node. The project's own releases say their digests themselves, over HTTPS; what another place
 * says of its own files is worth nothing.
 */
function releaseProblems({ release, version, distribution }: RkeClusterSettings): Problem[] {
  const { url, digests } = release;
  if (url === RELEASES[distribution] || LINK_LOCAL.test(url)) return [];
  const what = distribution === Distribution.Rke ? RKE_PROGRAM : version;
  const file = distribution === Distribution.Rke ? "rke_linux-amd64" : "rke2.linux-amd64.tar.gz";
  return [
    ...(url.startsWith("https://")
      ? []
      : [
          {
            path: "release.url",
            message: found(url, "use an https address: what comes from there runs as root"),
          },
        ]),
    ...(digests[what] === undefined
      ? [
          {
            path: "release.digests",
            message: `has no digest for ${what}, which is to come from ${url}: set the SHA-256 of ${file} as the project's own release names it`,
          },
        ]
      : []),
  ];
}

/** RKE has no such file: what it was given there would be ignored without a word. */
function freeSettingProblems(settings: RkeClusterSettings): Problem[] {
  const { distribution, config, kubeletArgs, commands, outboundProxy, systemDefaultRegistry } = settings;
  if (distribution === Distribution.Rke2) return freeProblems(settings);
  const isSet = {
    config: Object.keys(config).length > 0,
    kubeletArgs: kubeletArgs.length > 0,
    commands: commands.before.length + commands.after.length > 0,
    outboundProxy: outboundProxy !== undefined,
    systemDefaultRegistry: systemDefaultRegistry !== undefined,
  };
  return Object.entries(isSet).flatMap(([path, given]) =>
    given ? [{ path, message: "not used with kind rke: remove it, or change kind" }] : [],
  );
}

function ecrProblems({ pullFromEcr }: RkeClusterSettings): Problem[] {
  return pullFromEcr
    ? [
        {
          path: "pullFromEcr",
          message: found(true, "rke runs no credential provider; remove it, and give pods pull secrets"),
        },
      ]
    : [];
}

/** Every machine of RKE is an instance of its own; no group makes more of them. */
function scalingProblems(pools: RkeClusterSettings["pools"]): Problem[] {
  return pools.flatMap(({ min, count, max }, index) =>
    min === count && count === max
      ? []
      : [
          {
            path: `pools[${index}]`,
            message: `found min ${min}, count ${count}, max ${max}: rke has no groups that an autoscaler could change; set count only`,
          },
        ],
  );
}

/**
 * etcd needs more than half of its members. Where one zone holds half of them, losing that zone loses the cluster.
 */
export function zoneProblems(count: number, zones: number): Problem[] {
  const inOneZone = Math.ceil(count / Math.max(zones, 1));
  return count > 1 && inOneZone > (count - 1) / 2
    ? [
        {
          path: "servers.count",
          message: found(
            count,
            `over ${zones} ${zones === 1 ? "zone" : "zones"} the loss of one zone would lose etcd's majority; use 3 zones, or 1 server`,
          ),
        },
      ]
    : [];
}

function memberProblems(path: string, members: readonly string[], count: number): Problem[] {
  const known = Array.from({ length: count }, (_, index) => `server-${index}`);
  return members
    .filter((member) => !known.includes(member))
    .map((member) => ({ path, message: found(member, `the members are ${known.join(", ")}`) }));
}

function rangeProblems({ network, podNetwork, distribution }: RkeClusterSettings): Problem[] {
  const ranges: [string, string | undefined][] = [
    ["network.cidr", plain(network.cidr)],
    ["podNetwork.clusterCidr", podNetwork.clusterCidr],
    ["podNetwork.serviceCidr", podNetwork.serviceCidr],
  ];
  const parsed = ranges.flatMap(([path, text]) =>
    text === undefined ? [] : [{ path, text, range: AddressRange.parse(text) }],
  );
  return [
    ...parsed.flatMap((one, index) =>
      parsed.slice(index + 1).flatMap((other) =>
        one.range !== undefined && other.range !== undefined && one.range.overlaps(other.range)
          ? [
              {
                path: other.path,
                message: found(other.text, `it overlaps ${one.path} (${one.text}); use separate ranges`),
              },
            ]
          : [],
      ),
    ),
    ...(distribution === Distribution.Rke && podNetwork.cni !== "canal"
      ? [{ path: "podNetwork.cni", message: found(podNetwork.cni, "use canal with rke") }]
      : []),
  ];
}

function apiProblems({ api, login, podNetwork, network }: RkeClusterSettings): Problem[] {
  return [
    ...openRangeProblems("api.cidrs", api.cidrs),
    ...openRangeProblems("login.fromCidrs", login.fromCidrs),
    ...openRangeProblems("podNetwork.nodePortCidrs", podNetwork.nodePortCidrs),
    ...(api.isPublic && network.publicSubnets.length === 0
      ? [
          {
            path: "api.isPublic",
            message: found(true, "the network has no public subnets; name them, or keep the API private"),
          },
        ]
      : []),
  ];
}
