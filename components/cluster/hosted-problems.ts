import { AddressRange } from "./address-range";
import type { HostedClusterArgs } from "./hosted-args";
import { plain, type Problem } from "./problem";
import { nameProblems, poolProblems } from "./rke-problems";
import { versionProblems } from "./versions";

/** How much may be done, and by which policy of EKS. */
export const ACCESS_LEVELS: Readonly<Record<string, string>> = {
  ClusterAdmin: "AmazonEKSClusterAdminPolicy",
  Admin: "AmazonEKSAdminPolicy",
  Edit: "AmazonEKSEditPolicy",
  View: "AmazonEKSViewPolicy",
  AdminView: "AmazonEKSAdminViewPolicy",
};

/** All that is wrong with the arguments of a hosted cluster, before anything is made. */
export function hostedProblems(name: string, args: HostedClusterArgs): Problem[] {
  return [
    ...nameProblems("the cluster's name", name),
    ...versionProblems("hosted", args.version),
    ...nodeVersionProblems(args),
    ...(args.network.privateSubnets.length < 2
      ? [`network has ${args.network.privateSubnets.length} zone: EKS wants subnets in at least 2 zones.`]
      : []),
    ...rangeProblems(args),
    ...apiProblems(args),
    ...accessProblems(args),
    ...poolProblems(args.pools ?? []),
  ];
}

/** Nodes may be up to three minor versions behind, and never ahead. */
function nodeVersionProblems({ version, nodeVersion }: HostedClusterArgs): Problem[] {
  if (nodeVersion === undefined) return [];
  const problems = versionProblems("hosted", nodeVersion).map((text) => `hosted.nodeVersion: ${text}`);
  const behind = Number(version.split(".")[1]) - Number(nodeVersion.split(".")[1]);
  return behind < 0 || behind > 3
    ? [
        ...problems,
        `hosted.nodeVersion is ${nodeVersion} with version ${version}: nodes are at most 3 behind and never ahead.`,
      ]
    : problems;
}

function rangeProblems({ network, serviceCidr }: HostedClusterArgs): Problem[] {
  const cidr = plain(network.cidr);
  if (serviceCidr === undefined) return [];
  const [services, whole] = [AddressRange.parse(serviceCidr), AddressRange.parse(cidr ?? "")];
  if (services === undefined)
    return [`hosted.serviceCidr is ${JSON.stringify(serviceCidr)}: use a range like 172.20.0.0/16.`];
  return whole?.overlaps(services) === true
    ? [
        `network.cidr (${cidr ?? ""}) and hosted.serviceCidr (${serviceCidr}) overlap: give them ranges apart.`,
      ]
    : [];
}

function apiProblems({ api }: HostedClusterArgs): Problem[] {
  const cidrs = api?.cidrs ?? [];
  return [
    ...(api?.isPublic === true && cidrs.length === 0
      ? [
          "api.isPublic is true without api.cidrs, which would be everyone: name the ranges that need the API.",
        ]
      : []),
    ...(cidrs.includes("0.0.0.0/0")
      ? ["api.cidrs has 0.0.0.0/0, which is everyone: name the ranges that need the API."]
      : []),
  ];
}

function accessProblems({ access = [] }: HostedClusterArgs): Problem[] {
  return access.flatMap(({ level = "View", namespaces }, index) => [
    ...(Object.hasOwn(ACCESS_LEVELS, level)
      ? []
      : [
          `hosted.access[${index}].level is ${JSON.stringify(level)}: use one of ${Object.keys(ACCESS_LEVELS).join(", ")}.`,
        ]),
    ...(level === "ClusterAdmin" && namespaces !== undefined
      ? [`hosted.access[${index}] limits ClusterAdmin to namespaces, which EKS refuses: use Admin.`]
      : []),
  ]);
}
