// The servers of an RKE2 cluster: made one after another, each waited for before the next.
import * as aws from "@pulumi/aws";
import type { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { memberName, type ControlPlane } from "../control-plane";
import { nodeImage } from "../machine-image";
import { nodeRole, type RoleTransforms } from "../node-role";
import { partitionOf, type Statement } from "../../iam-policy";
import { bucketStatements } from "../snapshot-bucket";
import type { RkeClusterSettings } from "../schema";
import { memberPlace } from "../scripts/node-place";
import { readCaDigest } from "../scripts/read-cluster";
import { removeMember } from "../scripts/remove-member";
import { runServer } from "../scripts/run-server";
import { packed } from "../scripts/unpack-files";
import { Server, type ServerTransforms } from "../server";
import { asRoot } from "../shell";
import type { StateVolume } from "../state-volume";
import type { Tokens } from "../tokens";
import { ecrStatements } from "./ecr";
import { serverFiles } from "./files";
import { proxyExports } from "./free-files";
import type { ServerSettings } from "./settings";

/** What the servers of a cluster are made from. */
export interface Rke2ServersSettings {
  readonly args: RkeClusterSettings;
  readonly plane: ControlPlane;
  readonly tokens: Tokens;
  readonly publicKey: pulumi.Output<string>;
}

/** The servers of an RKE2 cluster. */
export interface Rke2Servers {
  readonly first: Server;
  /** Every server is well when these are there, in their order. */
  readonly running: readonly remote.Command[];
  /** The first part of the secure tokens. */
  readonly caDigest: pulumi.Output<string>;
}

/** Makes the servers, one after another: each waits until the one before it is well. */
export function rke2Servers(
  name: string,
  settings: Rke2ServersSettings,
  transform: ServerTransforms & RoleTransforms,
  parent: pulumi.Resource,
): Rke2Servers {
  const { args, plane, tokens } = settings;
  const image = nodeImage(args.servers.imageId, args.imageName, parent);
  const profile = serverProfile(name, args, transform, parent);
  const { rejoin, bootstrap } = args;
  const running: remote.Command[] = [];
  const members: remote.Command[] = [];
  let first: Server | undefined;
  let caDigest: pulumi.Output<string> | undefined;
  for (const [index, state] of plane.states.entries()) {
    const member = memberName(index);
    const node = `${name}-${member}`;
    const server = new Server(
      node,
      {
        cluster: name,
        owner: `${pulumi.getProject()}/${pulumi.getStack()}/${name}`,
        member,
        state,
        image,
        instanceType: args.servers.instanceType,
        instanceProfile: profile.name,
        login: args.login,
        publicKey: settings.publicKey,
        format: bootstrap || rejoin.includes(member),
        // Only the first one founds a cluster, and not one that is to join again.
        found: bootstrap && index === 0 && !rejoin.includes(member),
        copy: args.servers.volumeSnapshotIds[member] !== undefined,
        onFirstUse: state.zone.apply((zone) => memberPlace(node, zone)),
        after: running.slice(-1),
        rootVolumeSize: args.servers.rootVolumeSize,
        tags: args.tags,
        transform,
      },
      { parent },
    );
    // The first one makes the CA that the secure form names, so it cannot know it yet; the others check it before they
    // say who they are.
    const token =
      caDigest === undefined ? tokens.server : pulumi.interpolate`${caDigest}::server:${tokens.server}`;
    const run = runCommand(server, node, state.address, token, settings);
    running.push(run);
    members.push(memberCommand(server, node, state, settings, [run, ...members.slice(-1)]));
    if (first === undefined || caDigest === undefined) {
      first = server;
      caDigest = server
        .command("ca-digest", asRoot(readCaDigest()), {
          triggers: [state.volumeId],
          dependsOn: [run],
          shows: false,
          timeout: "10m",
        })
        .stdout.apply((text) => text.trim());
    }
  }
  if (first === undefined || caDigest === undefined)
    throw new RangeError("a cluster has at least one server");
  return { first, running, caDigest };
}

function runCommand(
  server: Server,
  node: string,
  address: pulumi.Output<string>,
  token: pulumi.Output<string>,
  { args, plane, tokens }: Rke2ServersSettings,
): remote.Command {
  const { release } = args;
  const addresses = pulumi.all(plane.states.map((state) => state.address));
  const create = pulumi
    .all([plane.registration, address, addresses, args.network.cidr])
    .apply(([registration, own, all, networkCidr]) =>
      asRoot(
        runServer({
          node,
          version: args.version,
          releaseUrl: release.url,
          digest: release.digests[args.version] ?? "",
          registration: `https://${registration}:9345`,
          peers: all.filter((peer) => peer !== own),
          cis: args.hardening.cis,
          proxy: proxyExports({ free: args, networkCidr, ...args.podNetwork }),
        }),
      ),
    );
  const values = pulumi.all([
    address,
    token,
    tokens.agent,
    plane.names,
    args.registries,
    region(server),
    args.network.cidr,
  ]);
  const stdin = values.apply(([own, serverToken, agentToken, names, registries, here, networkCidr]) => {
    const known = { serverToken, agentToken, names, region: here, networkCidr };
    const settings = serverSettings(server.cluster, args, known);
    const { files, removed } = serverFiles({ node, address: own }, { ...settings, registries });
    return packed(files, removed);
  });
  return server.command("rke2", create, {
    triggers: [server.instanceId],
    stdin,
    dependsOn: [server.ready],
    timeout: "40m",
  });
}

/**
 * Exists as long as the member does. When a server is taken out of the program, this takes it out of the cluster while it
 * still runs; when the whole cluster goes, with its load balancer, there is nothing to take it out of. Each waits for the
 * one before it, so that they go one by one, the last one first: two of three at once would be the end of the majority.
 */
function memberCommand(
  server: Server,
  node: string,
  state: StateVolume,
  { plane }: Rke2ServersSettings,
  dependsOn: pulumi.Resource[],
): remote.Command {
  return server.command("member", undefined, {
    triggers: [state.volumeId],
    delete: plane.registration.apply((address) => asRoot(removeMember(node, `https://${address}:6443`))),
    dependsOn,
    opts: { deletedWith: plane.loadBalancer },
  });
}

function serverSettings(
  cluster: string,
  args: RkeClusterSettings,
  known: { serverToken: string; agentToken: string; names: string[]; region: string; networkCidr: string },
): ServerSettings {
  const { podNetwork, hardening, etcdSnapshots } = args;
  return {
    clusterName: cluster,
    serverCount: args.servers.count,
    token: known.serverToken,
    agentToken: known.agentToken,
    names: known.names,
    clusterCidr: podNetwork.clusterCidr,
    serviceCidr: podNetwork.serviceCidr,
    clusterDomain: podNetwork.clusterDomain,
    cni: podNetwork.cni,
    dedicated: args.servers.dedicated,
    disable: args.disable,
    pullFromEcr: args.pullFromEcr,
    cis: hardening.cis,
    audit: hardening.audit,
    secretsEncryption: hardening.secretsEncryption,
    snapshots: { ...etcdSnapshots, region: etcdSnapshots.region ?? known.region },
    registries: {},
    oidc: args.identity.oidc,
    free: { free: args, networkCidr: known.networkCidr, ...podNetwork },
  };
}

function region(parent: pulumi.Resource): pulumi.Output<string> {
  return aws.getRegionOutput({}, { parent }).region;
}

/** Servers write snapshots to the bucket, into their folder, and pull from ECR where that is asked for; nothing else. */
function serverProfile(
  name: string,
  args: RkeClusterSettings,
  transform: RoleTransforms,
  parent: pulumi.Resource,
): aws.iam.InstanceProfile {
  const { bucket, folder = name } = args.etcdSnapshots;
  const { pullFromEcr } = args;
  const statements = partitionOf(parent).apply(({ partition }): Statement[] => [
    ...(bucket === undefined ? [] : bucketStatements(`arn:${partition}:s3:::${bucket}`, folder)),
    ...(pullFromEcr ? ecrStatements(partition) : []),
  ]);
  const isNeeded = bucket !== undefined || pullFromEcr;
  const settings = { statements, isNeeded, policyArns: args.nodePolicyArns };
  return nodeRole(`${name}-servers`, { ...settings, tags: args.tags }, transform, parent);
}
