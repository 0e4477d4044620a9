// The checks of a whole cluster, whatever runs it. Loads no SDK of a cloud: a stack's settings are checked before they do.
import { z } from "zod";
import { isObject } from "../../lib/json";
import { below, found, joined, type Problem } from "../problem";
import { check, unknownKey } from "../schema";
import { type ClusterArgs, ClusterKind } from "./args";
import { AccessMode } from "./bastion/args";
import { accessMode } from "./bastion/schema";
import { checkHostedCluster } from "./eks/problems";
import { iamSchema } from "./iam-settings";
import type { NetworkReference } from "./network/network-reference";
import { checkNetwork, type NetworkSettings, zoneCount } from "./network/schema";
import { Distribution, type SelfManagedArgs } from "./rke/args";
import type { LoginArgs } from "./rke/login-args";
import { checkRkeCluster } from "./rke/problems";

/** The arguments that a cluster has whatever runs it; the others stand below `selfManaged` or `hosted`. */
const COMMON = ["version", "pools", "api", "tags", "network", "name", "identity", "iam"];
const KEYS = [...COMMON.filter((key) => key !== "name"), "kind", "selfManaged", "hosted"];

/** All that is wrong with the arguments of a cluster, by the paths of `ClusterArgs`. */
export function clusterProblems(name: string, given: ClusterArgs): Problem[] {
  const misshapen = (["network", "selfManaged", "hosted"] as const).filter(
    (key) => given[key] !== undefined && !isObject(given[key]),
  );
  const args = { ...given };
  for (const key of misshapen) Reflect.deleteProperty(args, key);
  const kind: unknown = args.kind ?? ClusterKind.Rke2;
  const network = checkNetwork(args.network ?? {});
  const iam = check(iamSchema, args.iam ?? {});
  const common = commonArgs(args, plannedNetwork(network.settings));
  const problems = [
    ...misshapen.map((key) => ({ path: key, message: found(given[key], "use keys and values") })),
    ...Object.keys(args)
      .filter((key) => !KEYS.includes(key) && key !== "transform")
      .map((key) => ({ path: key, message: unknownKey(key, KEYS) })),
    ...(network.ok ? [] : below("network", network.problems)),
    ...(iam.ok ? [] : below("iam", iam.problems)),
  ];
  const isKind = z.enum(ClusterKind).safeParse(kind);
  if (!isKind.success)
    return [{ path: "kind", message: found(kind, "use one of rke2, rke, hosted") }, ...problems];
  const isHosted = isKind.data === ClusterKind.Hosted;
  const checked = isHosted
    ? checkHostedCluster(name, { ...args.hosted, ...common })
    : checkRkeCluster(name, {
        ...selfManaged(args),
        ...common,
        distribution: distributionOf(isKind.data),
      });
  const unused = isHosted ? "selfManaged" : "hosted";
  return [
    ...problems,
    ...wayInProblems(args, network.settings, isHosted),
    ...(args[unused] === undefined
      ? []
      : [{ path: unused, message: `not used with kind ${isKind.data}: remove it, or change kind` }]),
    ...(checked.ok
      ? []
      : checked.problems.map(({ path, message }) => ({
          path: isCommon(path) ? path : joined(isHosted ? "hosted" : "selfManaged", path),
          message,
        }))),
  ];
}

/** A bastion is for machines of your own, and there is one way to them. */
function wayInProblems(
  { selfManaged: own }: ClusterArgs,
  network: NetworkSettings | undefined,
  isHosted: boolean,
): Problem[] {
  if (network === undefined || accessMode(network) !== AccessMode.Bastion) return [];
  if (isHosted)
    return [
      {
        path: network.bastion === undefined ? "network.access" : "network.bastion",
        message:
          "not used with kind hosted: remove it, and open the endpoint with api.isPublic and api.cidrs",
      },
    ];
  // A stack's file may leave it out.
  const login: Partial<LoginArgs> = { ...own?.login };
  return login.proxy === undefined
    ? []
    : [
        {
          path: "selfManaged.login.proxy",
          message: "not used beside network.bastion: remove one of the two",
        },
      ];
}

function isCommon(path: string): boolean {
  return COMMON.includes(path.split(/[.[]/, 1)[0] ?? "");
}

/** A stand-in for the network that is still to be made, to check the other arguments against. */
function plannedNetwork(settings: NetworkSettings | undefined): NetworkReference {
  if (settings?.existing !== undefined) return settings.existing;
  const subnets = Array.from({ length: settings === undefined ? 3 : zoneCount(settings) }, (_, zone) => ({
    id: `planned-${zone}`,
    zone: `planned-${zone}`,
  }));
  return {
    vpcId: "planned",
    cidr: settings?.cidr ?? "10.0.0.0/16",
    privateSubnets: subnets,
    publicSubnets: subnets,
  };
}

/** The arguments that every component for a cluster takes. */
export function commonArgs(
  { version, pools, api, tags, identity }: ClusterArgs,
  network: NetworkReference,
): Pick<ClusterArgs, "version" | "pools" | "api" | "tags" | "identity"> & { network: NetworkReference } {
  return {
    version,
    network,
    pools: pools ?? [],
    tags: tags ?? {},
    ...(api === undefined ? {} : { api }),
    ...(identity === undefined ? {} : { identity }),
  };
}

/** Where nothing is said about the machines, the login is what is missed. */
export function selfManaged({ selfManaged: given }: ClusterArgs): SelfManagedArgs {
  return { ...given, login: given?.login ?? { privateKey: "" } };
}

/** The distribution behind a kind of cluster. */
export function distributionOf(kind: ClusterKind): Distribution {
  return kind === ClusterKind.Rke ? Distribution.Rke : Distribution.Rke2;
}
