// The nodes of an RKE cluster, and the runner machine that runs `rke up` on them.
import * as aws from "@pulumi/aws";
import type { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { AddressRange } from "../../network/address-range";
import { memberName, type ControlPlane } from "../control-plane";
import { nodeImage } from "../machine-image";
import { nodeRole, type RoleTransforms } from "../node-role";
import type { NodePoolOutput } from "../../outputs";
import type { PoolSettings } from "../../common-schema";
import { partitionOf } from "../../iam-policy";
import { bucketStatements } from "../snapshot-bucket";
import type { RkeClusterSettings } from "../schema";
import { installDocker } from "../scripts/install-docker";
import { RKE_FOLDER, RKE_KEY_FILE, RKE_PROGRAM, runRke } from "../scripts/run-rke";
import { packed } from "../scripts/unpack-files";
import { Server, type ServerTransforms } from "../server";
import { asRoot, script } from "../shell";
import { StateVolume, type StateVolumeTransforms } from "../state-volume";
import { rkeClusterFile, type RkeNode } from "./cluster-file";

/** What an RKE cluster is made from. */
export interface RkeSettings {
  readonly args: RkeClusterSettings;
  readonly plane: ControlPlane;
  readonly publicKey: pulumi.Output<string>;
}

/** What RKE gives its cluster. */
export interface RkeNodes {
  readonly kubeconfig: pulumi.Output<string>;
  /** `cluster.rkestate`. */
  readonly token: pulumi.Output<string>;
  readonly nodePools: pulumi.Output<NodePoolOutput[]>;
}

type Transforms = ServerTransforms & RoleTransforms & StateVolumeTransforms;

/** The runner's host number in its subnet; servers begin at 10 and workers at 20. */
const RUNNER_HOST = 8;
const FIRST_WORKER_HOST = 20;

/**
 * Makes the machines of an RKE cluster and runs RKE over them. RKE knows machines by their addresses, so every one of them
 * has an interface and a volume of its own; the runner's volume holds RKE's state.
 */
export function rkeNodes(
  name: string,
  settings: RkeSettings,
  transform: Transforms,
  parent: pulumi.Resource,
): RkeNodes {
  const machines = new RkeMachines(name, settings, transform, parent);
  const { args, plane } = settings;
  const { pools } = args;
  const servers = plane.states.map((state, index) => machines.node(memberName(index), state));
  let worker = 0;
  const workers = pools.flatMap((pool) =>
    Array.from({ length: pool.count }, (_, index) => {
      const member = `${pool.name}-${index}`;
      const state = machines.state(member, worker, FIRST_WORKER_HOST, plane.firewall.agents);
      worker += 1;
      return { pool, ...machines.node(member, state, pool) };
    }),
  );
  const runner = machines.runner();
  const nodes = pulumi.all([
    ...servers.map(({ member, server }) =>
      server.address.apply((address): RkeNode => serverNode(name, member, address, pools.length === 0)),
    ),
    ...workers.map(({ pool, member, server }) =>
      server.address.apply((address): RkeNode => workerNode(name, pool, member, address)),
    ),
  ]);
  const up = rkeUp(
    name,
    runner,
    nodes,
    settings,
    [...servers, ...workers].map(({ ready }) => ready),
  );
  const read = (own: string, file: string): pulumi.Output<string> =>
    runner.command(own, asRoot(script({ FILE: `${RKE_FOLDER}/${file}` }, 'cat "$FILE"')), {
      triggers: [args.version, runner.stateVolumeId],
      dependsOn: [up],
      shows: false,
      timeout: "10m",
    }).stdout;
  return {
    kubeconfig: read("kubeconfig", "kube_config_cluster.yml"),
    token: read("state", "cluster.rkestate"),
    nodePools: pulumi.output(pools.map((pool) => ({ name: pool.name, count: pool.count, groupName: "" }))),
  };
}

function serverNode(cluster: string, member: string, address: string, isWorker: boolean): RkeNode {
  return {
    address,
    name: `${cluster}-${member}`,
    role: isWorker ? ["controlplane", "etcd", "worker"] : ["controlplane", "etcd"],
    labels: { "fleetwright.dev/cluster": cluster, "fleetwright.dev/node-pool": "servers" },
  };
}

function workerNode(cluster: string, pool: PoolSettings, member: string, address: string): RkeNode {
  return {
    address,
    name: `${cluster}-${member}`,
    role: ["worker"],
    labels: { ...pool.labels, "fleetwright.dev/cluster": cluster, "fleetwright.dev/node-pool": pool.name },
    taints: pool.taints,
  };
}

/** Runs RKE whenever its description changes. */
function rkeUp(
  name: string,
  runner: Server,
  nodes: pulumi.Output<RkeNode[]>,
  { args, plane }: RkeSettings,
  after: pulumi.Resource[],
): remote.Command {
  const { podNetwork, release } = args;
  const region = aws.getRegionOutput({}, { parent: runner }).region;
  const stdin = pulumi
    .all([nodes, plane.names, region, args.registries, args.login.privateKey])
    .apply(([list, names, here, registries, key]) =>
      packed([
        { path: RKE_KEY_FILE, content: key },
        {
          path: `${RKE_FOLDER}/cluster.yml`,
          content: rkeClusterFile({
            clusterName: name,
            version: args.version,
            user: args.login.user,
            port: args.login.port,
            keyFile: RKE_KEY_FILE,
            nodes: list,
            names,
            clusterCidr: podNetwork.clusterCidr,
            serviceCidr: podNetwork.serviceCidr,
            clusterDomain: podNetwork.clusterDomain,
            cni: podNetwork.cni,
            audit: args.hardening.audit,
            snapshots: { ...args.etcdSnapshots, region: args.etcdSnapshots.region ?? here },
            registries,
          }),
        },
      ]),
    );
  const run = runRke({
    releaseUrl: release.url,
    digest: release.digests[RKE_PROGRAM] ?? "",
  });
  return runner.command("rke", asRoot(run), {
    triggers: [runner.instanceId],
    stdin,
    dependsOn: [runner.ready, ...after],
    timeout: "70m",
  });
}

/** What a machine is made from: the servers' settings, or those of a pool. */
type MachineSettings = Pick<PoolSettings, "imageId" | "instanceType" | "rootVolumeSize">;

/** Makes machines, one after another, as those of RKE2 are. */
class RkeMachines {
  readonly #profile: aws.iam.InstanceProfile;
  #last: pulumi.Resource[] = [];

  constructor(
    private readonly name: string,
    private readonly settings: RkeSettings,
    private readonly transform: Transforms,
    private readonly parent: pulumi.Resource,
  ) {
    const { args } = settings;
    const { bucket, folder = name } = args.etcdSnapshots;
    const role = {
      // RKE makes its copies on every node with etcd, which have the role of all.
      statements: partitionOf(parent).apply(({ partition }) =>
        bucket === undefined ? [] : bucketStatements(`arn:${partition}:s3:::${bucket}`, folder),
      ),
      isNeeded: bucket !== undefined,
      policyArns: args.nodePolicyArns,
      tags: args.tags,
    };
    this.#profile = nodeRole(`${name}-nodes`, role, transform, parent);
  }

  /** A machine with Docker on it. */
  node(
    member: string,
    state: StateVolume,
    like: MachineSettings = this.settings.args.servers,
  ): { member: string; server: Server; ready: remote.Command } {
    const server = this.#server(member, state, false, like);
    const ready = server.command("docker", asRoot(installDocker(this.settings.args.login.user)), {
      triggers: [server.instanceId],
      dependsOn: [server.ready],
    });
    this.#last = [ready];
    return { member, server, ready };
  }

  /** The machine that RKE runs on. */
  runner(): Server {
    const group = this.settings.plane.firewall.runner ?? this.settings.plane.firewall.agents;
    const { servers } = this.settings.args;
    return this.#server("runner", this.state("runner", 0, RUNNER_HOST, group), true, servers);
  }

  /** The state of a machine that is no server. */
  state(member: string, index: number, firstHost: number, group: aws.ec2.SecurityGroup): StateVolume {
    const { args } = this.settings;
    const control = args.network.controlSubnets;
    const subnets = control.length > 0 ? control : args.network.privateSubnets;
    const subnet = subnets[index % subnets.length];
    if (subnet === undefined) throw new RangeError("the network has no subnets");
    const range =
      control.length > 0 && subnet.cidr !== undefined ? AddressRange.parse(subnet.cidr) : undefined;
    const address = range?.host(firstHost + Math.floor(index / subnets.length));
    return new StateVolume(
      `${this.name}-${member}-state`,
      {
        cluster: this.name,
        member,
        zone: subnet.zone,
        subnetId: subnet.id,
        securityGroupIds: [group.id],
        retain: args.servers.retain,
        tags: args.tags,
        ...(address === undefined ? {} : { address }),
        transform: this.transform,
      },
      { parent: this.parent },
    );
  }

  #server(member: string, state: StateVolume, found: boolean, like: MachineSettings): Server {
    const { args, publicKey } = this.settings;
    const { bootstrap } = args;
    return new Server(
      `${this.name}-${member}`,
      {
        cluster: this.name,
        owner: `${pulumi.getProject()}/${pulumi.getStack()}/${this.name}`,
        member,
        state,
        image: nodeImage(like.imageId ?? args.servers.imageId, args.imageName, this.parent),
        instanceType: like.instanceType,
        rootVolumeSize: like.rootVolumeSize,
        instanceProfile: this.#profile.name,
        login: args.login,
        publicKey,
        format: bootstrap || args.rejoin.includes(member),
        found: bootstrap && found,
        copy: args.servers.volumeSnapshotIds[member] !== undefined,
        after: this.#last,
        tags: args.tags,
        transform: this.transform,
      },
      { parent: this.parent },
    );
  }
}
