import * as pulumi from "@pulumi/pulumi";
import { assertNoProblems } from "../problem";
import { withoutTransform } from "../transform";
import { type ClusterArgs, ClusterKind } from "./args";
import { HostedCluster } from "./eks/hosted-cluster";
import { roleTransformation } from "./iam-settings";
import { Network } from "./network/network";
import type { NodePoolOutput, StateVolumeOutput } from "./outputs";
import { clusterProblems, commonArgs, distributionOf, selfManaged } from "./problems";
import { RkeCluster, withoutSecrets } from "./rke/rke-cluster";

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
  readonly name: string;
  /** For administrators. A secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** The API's address. */
  readonly endpoint: pulumi.Output<string>;
  readonly nodePools: pulumi.Output<NodePoolOutput[]>;
  /** Empty for a hosted cluster. */
  readonly stateVolumes: pulumi.Output<StateVolumeOutput[]>;
  readonly version: pulumi.Output<string>;
  readonly network: Network;

  constructor(name: string, args: ClusterArgs, opts: pulumi.ComponentResourceOptions = {}) {
    assertNoProblems(`cluster ${JSON.stringify(name)}`, clusterProblems(name, args), opts.parent);
    super("fleetwright:index:Cluster", name, visible(args), {
      ...opts,
      ...(args.iam === undefined
        ? {}
        : { transformations: [...(opts.transformations ?? []), roleTransformation(args.iam)] }),
    });
    this.name = name;
    const tags = { ...args.tags, "fleetwright.dev/cluster": name };
    this.network = new Network(
      `${name}-network`,
      {
        // Only nodes of RKE2's pools ask for what these endpoints lead to.
        privateEndpoints: (args.kind ?? ClusterKind.Rke2) === ClusterKind.Rke2,
        ...args.network,
        tags: { ...tags, ...args.network?.tags },
        ...overrides(args.transform?.network),
      },
      { parent: this },
    );
    const made = this.build(name, { ...args, tags });
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

  private build(name: string, args: ClusterArgs): RkeCluster | HostedCluster {
    const { kind = ClusterKind.Rke2, transform } = args;
    const common = commonArgs(args, this.network.reference);
    // With all of the network: machines need their way out from the beginning, and until they have left the cluster.
    const options = { parent: this, dependsOn: [this.network] };
    return kind === ClusterKind.Hosted
      ? new HostedCluster(name, { ...args.hosted, ...common, ...overrides(transform?.hosted) }, options)
      : new RkeCluster(
          name,
          {
            ...selfManaged(args),
            ...common,
            distribution: distributionOf(kind),
            ...overrides(transform?.rke),
          },
          options,
        );
  }
}

function overrides<Transforms>(transform: Transforms | undefined): { transform?: Transforms } {
  return transform === undefined ? {} : { transform };
}

/** The arguments as they may be seen in the state and by policies. */
function visible(args: ClusterArgs): object {
  const rest = withoutTransform(args);
  return rest.selfManaged === undefined ? rest : { ...rest, selfManaged: withoutSecrets(rest.selfManaged) };
}
