import * as pulumi from "@pulumi/pulumi";
import type { HostedArgs } from "./hosted-args";
import { HostedCluster, type HostedClusterTransforms } from "./hosted-cluster";
import { hostedProblems } from "./hosted-problems";
import { Network, networkProblems, zoneCount, type NetworkArgs, type NetworkTransforms } from "./network";
import type { NodePoolOutput, StateVolumeOutput } from "./outputs";
import type { NetworkPlace } from "./place";
import { type Problem, refuseProblems } from "./problem";
import { Distribution, type ApiArgs, type PoolArgs, type SelfManagedArgs } from "./rke-args";
import { RkeCluster, withoutSecrets, type RkeClusterTransforms } from "./rke-cluster";
import { rkeProblems } from "./rke-problems";

/** What runs the cluster. */
export enum ClusterKind {
  /** RKE2 on machines of your own. */
  Rke2 = "rke2",
  /** RKE on machines of your own. It ended on 2025-07-31. */
  Rke = "rke",
  /** A control plane that the cloud runs. */
  Hosted = "hosted",
}

/** The arguments of `Cluster`. */
export interface ClusterArgs {
  /** @default ClusterKind.Rke2 */
  kind?: ClusterKind;
  /** @example "v1.35.7+rke2r1" for RKE2, "1.35" for a hosted cluster */
  version: string;
  /** @default a network of its own over 3 zones */
  network?: NetworkArgs;
  /** @default [] */
  pools?: PoolArgs[];
  api?: ApiArgs;
  /** For `rke2` and `rke`, which need it. */
  selfManaged?: SelfManagedArgs;
  /** For `hosted`. */
  hosted?: HostedArgs;
  /** Tags for everything. @default {} */
  tags?: Record<string, string>;
}

/** The options of `Cluster`. */
export interface ClusterOptions extends pulumi.ComponentResourceOptions {
  transform?: {
    network?: NetworkTransforms;
    rke?: RkeClusterTransforms;
    hosted?: HostedClusterTransforms;
  };
}

/**
 * A Kubernetes cluster, whatever runs it. All that is wrong with its arguments is said at once, before anything is made.
 *
 * @example
 * const cluster = new Cluster("main", {
 *   version: "v1.35.7+rke2r1",
 *   selfManaged: { login: { privateKey: config.requireSecret("sshPrivateKey") }, bootstrap: true },
 *   pools: [{ name: "web" }],
 * });
 * export const kubeconfig = cluster.kubeconfig;
 */
export class Cluster extends pulumi.ComponentResource {
  /** For administrators. A secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** The API's address. */
  readonly endpoint: pulumi.Output<string>;
  readonly nodePools: pulumi.Output<NodePoolOutput[]>;
  /** Empty for a hosted cluster. */
  readonly stateVolumes: pulumi.Output<StateVolumeOutput[]>;
  readonly version: pulumi.Output<string>;
  readonly network: Network;

  constructor(name: string, args: ClusterArgs, opts: ClusterOptions = {}) {
    refuseProblems(`The cluster ${JSON.stringify(name)}`, clusterProblems(name, args), opts.parent);
    super("fleetwright:index:Cluster", name, shown(args), opts);
    const tags = { ...args.tags, "fleetwright.dev/cluster": name };
    this.network = new Network(
      `${name}-network`,
      { ...args.network, tags: { ...tags, ...args.network?.tags } },
      {
        parent: this,
        ...(opts.transform?.network === undefined ? {} : { transform: opts.transform.network }),
      },
    );
    const made = this.build(name, { ...args, tags }, opts.transform ?? {});
    this.kubeconfig = made.kubeconfig;
    this.endpoint = made.endpoint;
    this.nodePools = made.nodePools;
    this.stateVolumes = made.stateVolumes;
    this.version = made.version;
    this.registerOutputs({
      kubeconfig: this.kubeconfig,
      endpoint: this.endpoint,
      nodePools: this.nodePools,
      stateVolumes: this.stateVolumes,
      version: this.version,
    });
  }

  private build(
    name: string,
    args: ClusterArgs,
    transform: NonNullable<ClusterOptions["transform"]>,
  ): RkeCluster | HostedCluster {
    const common = commonArgs(args, this.network.place);
    const kind = args.kind ?? ClusterKind.Rke2;
    if (kind === ClusterKind.Hosted) {
      return new HostedCluster(
        name,
        { ...args.hosted, ...common },
        { parent: this, ...(transform.hosted === undefined ? {} : { transform: transform.hosted }) },
      );
    }
    return new RkeCluster(
      name,
      { ...selfManaged(args), ...common, distribution: distributionOf(kind) },
      { parent: this, ...(transform.rke === undefined ? {} : { transform: transform.rke }) },
    );
  }
}

/** All that is wrong with the arguments of a cluster, whatever runs it. */
export function clusterProblems(name: string, args: ClusterArgs): Problem[] {
  const kind: string = args.kind ?? ClusterKind.Rke2;
  const network = networkProblems(args.network ?? {});
  const common = commonArgs(args, plannedPlace(args.network ?? {}));
  if (kind === "hosted") return [...network, ...hostedProblems(name, { ...args.hosted, ...common })];
  if (kind !== "rke2" && kind !== "rke") {
    return [`kind is ${JSON.stringify(kind)}: use rke2, rke or hosted.`, ...network];
  }
  return [
    ...network,
    ...rkeProblems(name, { ...selfManaged(args), ...common, distribution: distributionOf(kind) }),
  ];
}

/** A stand-in for the network that is still to be made, to check the other arguments against. */
function plannedPlace(args: NetworkArgs): NetworkPlace {
  if (args.existing !== undefined) return args.existing;
  const count = zoneCount(args);
  const subnets = Array.from({ length: Number.isInteger(count) && count > 0 ? count : 0 }, (_, zone) => ({
    id: `planned-${zone}`,
    zone: `planned-${zone}`,
  }));
  return {
    vpcId: "planned",
    cidr: args.cidr ?? "10.0.0.0/16",
    privateSubnets: subnets,
    publicSubnets: subnets,
  };
}

function commonArgs(
  { version, pools, api, tags }: ClusterArgs,
  network: NetworkPlace,
): {
  version: string;
  network: NetworkPlace;
  pools: PoolArgs[];
  tags: Record<string, string>;
  api?: ApiArgs;
} {
  return { version, network, pools: pools ?? [], tags: tags ?? {}, ...(api === undefined ? {} : { api }) };
}

/** The arguments as they may be seen in the state and by policies. */
function shown(args: ClusterArgs): object {
  return args.selfManaged === undefined ? args : { ...args, selfManaged: withoutSecrets(args.selfManaged) };
}

/** Where nothing is said about the machines, the login is what is missed. */
function selfManaged({ selfManaged: given }: ClusterArgs): SelfManagedArgs {
  return given ?? { login: { privateKey: "" } };
}

function distributionOf(kind: string): Distribution {
  return kind === "rke" ? Distribution.Rke : Distribution.Rke2;
}
