// The component of a self-managed cluster, RKE2 or RKE: control plane, load balancer, servers and pools.
import * as pulumi from "@pulumi/pulumi";
import { controlPlane, memberName, type ControlPlane } from "./control-plane";
import { endingCertificate, reachableKubeconfig } from "../kubeconfig";
import { publicKeyOf } from "./ssh-login";
import type { NodePoolOutput, StateVolumeOutput } from "../outputs";
import { settingsOf } from "../../schema";
import { withoutTransform } from "../../transform";
import { Distribution, type RkeClusterArgs, type RkeClusterTransforms, type SelfManagedArgs } from "./args";
import { checkRkeCluster } from "./problems";
import { rkeNodes } from "./rke1/nodes";
import { rke2Pools } from "./rke2/pools";
import { rke2Servers } from "./rke2/servers";
import { readKubeconfig } from "./scripts/read-cluster";
import { asRoot } from "./shell";
import type { RkeClusterSettings } from "./schema";
import { clusterTokens } from "./tokens";

/**
 * A Kubernetes cluster on machines of your own: 1, 3 or 5 servers over the zones behind a load balancer, and pools of
 * agents.
 *
 * @example
 * const cluster = new RkeCluster("main", {
 *   network: network.reference,
 *   version: "v1.35.7+rke2r1",
 *   login: { privateKey: config.requireSecret("sshPrivateKey") },
 *   bootstrap: true,
 *   pools: [{ name: "web", count: 3 }],
 * });
 */
export class RkeCluster extends pulumi.ComponentResource {
  /** For administrators. A secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** The API's address. */
  readonly endpoint: pulumi.Output<string>;
  /** The same inside the network; another one only where the API faces the internet. */
  readonly innerEndpoint: pulumi.Output<string>;
  readonly nodePools: pulumi.Output<NodePoolOutput[]>;
  readonly stateVolumes: pulumi.Output<StateVolumeOutput[]>;
  readonly version: pulumi.Output<string>;
  /** Keep it with the snapshots: without it they cannot be read. For RKE it is `cluster.rkestate`. A secret. */
  readonly token: pulumi.Output<string>;
  /** The port at which nodes are logged in to. */
  readonly loginPort: number;

  constructor(name: string, args: RkeClusterArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const settings = settingsOf(`cluster ${JSON.stringify(name)}`, checkRkeCluster(name, args), opts.parent);
    super("fleetwright:index:RkeCluster", name, withoutSecrets(withoutTransform(args)), opts);
    this.loginPort = settings.login.port;
    const transform = args.transform ?? {};
    const plane = controlPlane(name, settings, transform, this);
    const publicKey = publicKeyOf(settings.login, this);
    const made =
      settings.distribution === Distribution.Rke2
        ? this.rke2(name, settings, plane, publicKey, transform)
        : rkeNodes(name, { args: settings, plane, publicKey }, transform, this);
    this.endpoint = pulumi.interpolate`https://${plane.address}:6443`;
    this.innerEndpoint = pulumi.interpolate`https://${plane.registration}:6443`;
    // Who comes by a bastion comes from inside.
    const used = settings.bastionGroupId === undefined ? this.endpoint : this.innerEndpoint;
    this.kubeconfig = pulumi.secret(
      pulumi.all([made.kubeconfig, used]).apply(([text, endpoint]) => {
        const ending = endingCertificate(text, name, new Date());
        if (ending !== undefined) void pulumi.log.warn(ending, this);
        return reachableKubeconfig(text, name, endpoint);
      }),
    );
    this.nodePools = made.nodePools;
    this.stateVolumes = pulumi.output(
      plane.states.map((state, index) => ({
        member: memberName(index),
        volumeId: state.volumeId,
        networkInterfaceId: state.networkInterfaceId,
        address: state.address,
        zone: state.zone,
      })),
    );
    this.version = pulumi.output(settings.version);
    this.token = pulumi.secret(made.token);
    this.registerOutputs({
      kubeconfig: this.kubeconfig,
      endpoint: this.endpoint,
      innerEndpoint: this.innerEndpoint,
      nodePools: this.nodePools,
      stateVolumes: this.stateVolumes,
      version: this.version,
      token: this.token,
    });
  }

  private rke2(
    name: string,
    args: RkeClusterSettings,
    plane: ControlPlane,
    publicKey: pulumi.Output<string>,
    transform: RkeClusterTransforms,
  ): DistributionOutputs {
    const tokens = clusterTokens(name, args.token, args.servers.retain, this);
    const servers = rke2Servers(name, { args, plane, tokens, publicKey }, transform, this);
    const pools = rke2Pools(name, { args, plane, servers, tokens, publicKey }, transform, this);
    const [firstState] = plane.states;
    const [firstRun] = servers.running;
    const kubeconfig = servers.first.command("kubeconfig", asRoot(readKubeconfig()), {
      // Read again after an upgrade: a restart renews the certificate in it.
      triggers: [args.version, firstState?.volumeId ?? ""],
      dependsOn: firstRun === undefined ? [] : [firstRun],
      shows: false,
      timeout: "10m",
    });
    return {
      kubeconfig: kubeconfig.stdout,
      token: tokens.server,
      nodePools: pulumi.output(
        pools.map((pool, index) => ({
          name: args.pools[index]?.name ?? "",
          count: pool.count,
          groupName: pool.groupName,
        })),
      ),
    };
  }
}

/** The arguments as they may be seen in the state and by policies. */
export function withoutSecrets<Args extends Partial<SelfManagedArgs>>(
  args: Args,
): Omit<Args, "login" | "token" | "registries"> {
  const shown = { ...args };
  delete shown.login;
  delete shown.token;
  delete shown.registries;
  return shown;
}

/** What a distribution gives its cluster. */
export interface DistributionOutputs {
  /** As it was written on a server. */
  readonly kubeconfig: pulumi.Output<string>;
  readonly token: pulumi.Output<string>;
  readonly nodePools: pulumi.Output<NodePoolOutput[]>;
}
