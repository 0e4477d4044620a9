// The component `Cluster`: a network, a bastion where one is asked for, and the cluster of the wanted kind in it (RKE2, RKE or EKS).
import * as pulumi from "@pulumi/pulumi";
import { assertNoProblems } from "../problem";
import { withoutTransform } from "../transform";
import { type ClusterArgs, ClusterKind } from "./args";
import { AccessMode } from "./bastion/args";
import { Bastion } from "./bastion/bastion";
import { accessMode, tunnelPort } from "./bastion/schema";
import { HostedCluster } from "./eks/hosted-cluster";
import { roleTransformation } from "./iam-settings";
import { proxiedKubeconfig } from "./kubeconfig";
import { Network } from "./network/network";
import { checkNetwork } from "./network/schema";
import type { BastionOutput, NodePoolOutput, StateVolumeOutput } from "./outputs";
import { clusterProblems, commonArgs, distributionOf, selfManaged } from "./problems";
import type { SelfManagedArgs } from "./rke/args";
import { DEFAULT_PORT } from "./rke/login-args";
import { RkeCluster, withoutSecrets } from "./rke/rke-cluster";
import { publicKeyOf } from "./rke/ssh-login";

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
  /** How the API is reached, where a bastion stands between. The kubeconfig counts on a tunnel at its local port. */
  readonly bastion: BastionOutput | undefined;
  /** The port at which nodes are logged in to; undefined for a hosted cluster. */
  readonly loginPort: number | undefined;

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
    const bastion = this.#bastion(name, args, tags);
    const made = this.build(name, { ...args, tags }, bastion);
    this.loginPort = made instanceof RkeCluster ? made.loginPort : undefined;
    const api = made instanceof RkeCluster ? made.innerEndpoint : made.endpoint;
    this.bastion = bastion && wayIn(name, args, bastion, api);
    this.kubeconfig =
      this.bastion === undefined
        ? made.kubeconfig
        : pulumi.secret(
            pulumi
              .all([made.kubeconfig, this.bastion.localPort])
              .apply(([text, port]) => proxiedKubeconfig(text, `socks5://127.0.0.1:${port}`)),
          );
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

  #bastion(name: string, args: ClusterArgs, tags: Record<string, string>): Bastion | undefined {
    const { network, transform } = args;
    const checked = checkNetwork(network ?? {}).settings;
    const settings = checked?.bastion;
    if (settings === undefined || accessMode(checked ?? {}) !== AccessMode.Bastion) return undefined;
    const { login } = selfManaged(args);
    return new Bastion(
      `${name}-bastion`,
      {
        network: this.network.reference,
        settings,
        publicKey: publicKeyOf(login, this),
        ports: [login.port ?? DEFAULT_PORT, 6443],
        tags,
        ...overrides(transform?.bastion),
      },
      // Its address can be associated as long as the network has an internet gateway, and leads there by the routes.
      { parent: this, dependsOn: [this.network] },
    );
  }

  private build(name: string, args: ClusterArgs, bastion: Bastion | undefined): RkeCluster | HostedCluster {
    const { kind = ClusterKind.Rke2, transform } = args;
    const common = commonArgs(args, this.network.reference);
    // With all of the network: machines need their way out from the beginning, and until they have left the cluster.
    const options = { parent: this, dependsOn: [this.network] };
    return kind === ClusterKind.Hosted
      ? new HostedCluster(name, { ...args.hosted, ...common, ...overrides(transform?.hosted) }, options)
      : new RkeCluster(
          name,
          {
            ...behind(bastion, selfManaged(args)),
            ...common,
            distribution: distributionOf(kind),
            ...overrides(transform?.rke),
          },
          options,
        );
  }
}

/** The settings of machines that are reached through a bastion. */
function behind(
  bastion: Bastion | undefined,
  args: SelfManagedArgs,
): SelfManagedArgs & { bastionGroupId?: pulumi.Input<string> } {
  return bastion === undefined
    ? args
    : {
        ...args,
        login: { ...args.login, proxy: bastion.proxy },
        bastionGroupId: bastion.securityGroupId,
      };
}

function wayIn(
  name: string,
  { network }: ClusterArgs,
  { address, hostKey, user }: Bastion,
  endpoint: pulumi.Output<string>,
): BastionOutput {
  const identity = `${pulumi.getProject()}/${pulumi.getStack()}/${name}`;
  const localPort = network?.bastion?.localPort ?? tunnelPort(identity);
  return { identity, address, hostKey, user: pulumi.output(user), localPort, endpoint };
}

function overrides<Transforms>(transform: Transforms | undefined): { transform?: Transforms } {
  return transform === undefined ? {} : { transform };
}

/** The arguments as they may be seen in the state and by policies. */
function visible(args: ClusterArgs): object {
  const rest = withoutTransform(args);
  return rest.selfManaged === undefined ? rest : { ...rest, selfManaged: withoutSecrets(rest.selfManaged) };
}
