// What the arguments of a hosted cluster may not be together. The single ones are checked by schema.ts.
import { below, found, plain, type Problem } from "../../problem";
import { check, type Checked, mapped, refined, repeated } from "../../schema";
import { withoutTransform } from "../../transform";
import { nameProblems, openRangeProblems, poolProblems } from "../common-schema";
import { ClusterKind } from "../args";
import { kindProblems } from "../identity/schema";
import { AddressRange } from "../network/address-range";
import { versionProblems } from "../versions";
import type { HostedClusterArgs } from "./args";
import { hostedClusterSchema, type HostedClusterSettings, withDerivedDefaults } from "./schema";

/** Fills in the defaults of a hosted cluster's arguments, and finds all that is wrong with them. */
export function checkHostedCluster(name: string, args: HostedClusterArgs): Checked<HostedClusterSettings> {
  const checked = mapped(
    check(hostedClusterSchema, withoutTransform(args), { placeholders: { version: "" } }),
    withDerivedDefaults,
  );
  return refined(checked, (settings) => hostedProblems(name, settings));
}

function hostedProblems(name: string, settings: HostedClusterSettings): Problem[] {
  const { network, access, pools } = settings;
  return [
    ...nameProblems(name, "hosted"),
    ...versionProblems("hosted", settings.version),
    ...nodeVersionProblems(settings),
    ...(network.privateSubnets.length < 2
      ? [
          {
            path: "network.zones",
            message: found(network.privateSubnets.length, "EKS needs subnets in at least 2 zones"),
          },
        ]
      : []),
    ...rangeProblems(settings),
    ...apiProblems(settings),
    ...accessProblems(settings),
    ...repeated(
      "access",
      access.map((each) => each.name),
    ),
    ...below("identity", kindProblems(settings.identity, ClusterKind.Hosted)),
    ...poolProblems(pools),
    ...addonProblems(pools),
  ];
}

/** The taint that the pods of EKS's add-ons tolerate. */
const ADDON_TAINT = "CriticalAddonsOnly";

/** Without a node that takes their pods, CoreDNS and the EBS driver never become ACTIVE, and the creation ends in a time-out. */
function addonProblems(pools: HostedClusterSettings["pools"]): Problem[] {
  const takesAddons = pools.some(
    ({ count, taints }) =>
      count > 0 && taints.every(({ key, effect }) => effect === "PreferNoSchedule" || key === ADDON_TAINT),
  );
  return takesAddons
    ? []
    : [
        {
          path: "pools",
          message: `${pools.length === 0 ? "none" : "every one is tainted or empty"}, but the cluster's own pods (CoreDNS, the EBS driver) need a node: add a pool without taints, or with the taint ${ADDON_TAINT} only`,
        },
      ];
}

/** Nodes may be up to three minor versions behind, and never ahead. */
function nodeVersionProblems({ version, nodeVersion, nodeRelease }: HostedClusterSettings): Problem[] {
  const path = "nodeVersion";
  if (nodeRelease !== undefined && !nodeRelease.startsWith(`${nodeVersion}.`)) {
    return [
      {
        path: "nodeRelease",
        message: found(nodeRelease, `nodes have the version ${nodeVersion}; use a release of it`),
      },
    ];
  }
  if (nodeVersion === version) return [];
  const problems = versionProblems("hosted", nodeVersion, path);
  if (problems.length > 0) return problems;
  const behind = Number(version.split(".")[1]) - Number(nodeVersion.split(".")[1]);
  return behind < 0 || behind > 3
    ? [
        {
          path,
          message: found(nodeVersion, `use at most 3 minor versions behind ${version}, and none ahead`),
        },
      ]
    : [];
}

function rangeProblems({ network, serviceCidr }: HostedClusterSettings): Problem[] {
  const cidr = plain(network.cidr) ?? "";
  const [services, whole] = [AddressRange.parse(serviceCidr ?? ""), AddressRange.parse(cidr)];
  return services !== undefined && whole?.overlaps(services) === true
    ? [
        {
          path: "serviceCidr",
          message: found(serviceCidr, `it overlaps network.cidr (${cidr}); use separate ranges`),
        },
      ]
    : [];
}

function apiProblems({ api }: HostedClusterSettings): Problem[] {
  return [
    ...(api.isPublic && api.cidrs.length === 0
      ? [
          {
            path: "api.cidrs",
            message: "not set, but api.isPublic is true: name the ranges that need the API",
          },
        ]
      : []),
    ...openRangeProblems("api.cidrs", api.cidrs),
  ];
}

function accessProblems({ access }: HostedClusterSettings): Problem[] {
  return access.flatMap(({ level, namespaces }, index) =>
    level === "ClusterAdmin" && namespaces !== undefined
      ? [
          {
            path: `access[${index}].level`,
            message: found(level, "EKS does not limit ClusterAdmin to namespaces; use Admin"),
          },
        ]
      : [],
  );
}
