// The pools of an RKE2 cluster: auto scaling groups whose nodes join by themselves.
import { createHmac } from "node:crypto";
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../control-plane";
import { nodeImage } from "../machine-image";
import { partitionOf } from "../../iam-policy";
import { NodePool, type NodePoolTransforms } from "../node-pool";
import { nodeRole, type RoleTransforms } from "../node-role";
import type { PoolSettings } from "../../common-schema";
import type { RkeClusterSettings } from "../schema";
import { joinHeader } from "../scripts/join-agent";
import { packed } from "../scripts/unpack-files";
import { waitForNodes } from "../scripts/wait-for-nodes";
import { asRoot } from "../shell";
import type { Tokens } from "../tokens";
import { agentUserData } from "../user-data";
import { ecrStatements } from "./ecr";
import { agentFiles } from "./files";
import { proxyExports } from "./free-files";
import type { Rke2Servers } from "./servers";

/** What the pools of a cluster are made from. */
export interface Rke2PoolsSettings {
  readonly args: RkeClusterSettings;
  readonly plane: ControlPlane;
  readonly servers: Rke2Servers;
  readonly tokens: Tokens;
  readonly publicKey: pulumi.Output<string>;
}

/** Standard parameters hold no more. */
const MAX_STANDARD_LENGTH = 4096;

/** Makes the pools. Their nodes join by themselves, with what they find in a parameter that only they may read. */
export function rke2Pools(
  name: string,
  settings: Rke2PoolsSettings,
  transform: NodePoolTransforms & RoleTransforms,
  parent: pulumi.Resource,
): NodePool[] {
  const { args } = settings;
  const pools = args.pools.map((pool) => ({ pool, ...joining(name, pool, settings, parent) }));
  if (pools.length === 0) return [];
  const arns = pulumi.all(pools.map(({ parameter }) => parameter.arn));
  const profile = nodeRole(
    `${name}-agents`,
    {
      statements: pulumi.all([arns, partitionOf(parent)]).apply(([resources, { partition }]) => [
        { actions: ["ssm:GetParameter"], resources },
        {
          actions: ["autoscaling:CompleteLifecycleAction"],
          resources: pools.map(
            ({ pool }) =>
              `arn:${partition}:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/${groupName(name, pool)}`,
          ),
        },
        ...(args.pullFromEcr ? ecrStatements(partition) : []),
      ]),
      isNeeded: true,
      policyArns: args.nodePolicyArns,
      tags: args.tags,
    },
    transform,
    parent,
  );
  return pools.map(({ pool, parameter, generation }) => {
    const made = makePool(name, pool, { ...settings, parameter, generation, profile }, transform, parent);
    const { min, max } = pool;
    settings.servers.first.command(
      `pool-${pool.name}`,
      generation.apply((value) => asRoot(waitForNodes({ pool: pool.name, generation: value, min, max }))),
      // Each node that is replaced takes its time.
      { triggers: [made.launchTemplateVersion], dependsOn: [made], timeout: `${30 + 15 * max}m` },
    );
    return made;
  });
}

/** The name of a pool's auto scaling group; nodes know it before it is made. */
function groupName(cluster: string, pool: PoolSettings): string {
  return `${pulumi.getProject()}-${pulumi.getStack()}-${cluster}-${pool.name}`;
}

/** The parameter by which nodes of a pool join, and what tells them from nodes that were made from an older one. */
function joining(
  name: string,
  pool: PoolSettings,
  { args, plane, servers, tokens }: Rke2PoolsSettings,
  parent: pulumi.Resource,
): { parameter: aws.ssm.Parameter; generation: pulumi.Output<string> } {
  const cis = args.hardening.cis;
  const header = joinHeader(args.version, args.release.url, args.release.digests[args.version] ?? "", cis);
  const known = pulumi.all([
    servers.caDigest,
    tokens.agent,
    plane.registration,
    args.registries,
    args.network.cidr,
  ]);
  const files = (
    token: string,
    address: string,
    registries: pulumi.Unwrap<typeof known>[3],
    networkCidr: string,
    generation: string,
  ): string => {
    const agent = {
      clusterName: name,
      pool: pool.name,
      generation,
      token,
      registration: `https://${address}:9345`,
      labels: pool.labels,
      taints: pool.taints,
      cis,
      pullFromEcr: args.pullFromEcr,
      free: { free: args, networkCidr, ...args.podNetwork },
    };
    const { files, removed } = agentFiles(agent, registries);
    return `${header}${packed(files, removed)}`;
  };
  // With the token as the key, the digest tells nothing of a password that may be in the files.
  const generation = pulumi.unsecret(
    pulumi
      .all([tokens.agent, plane.registration, args.registries, args.network.cidr])
      .apply(([token, address, registries, networkCidr]) =>
        createHmac("sha256", token)
          .update(files("", address, registries, networkCidr, ""))
          .digest("hex")
          .slice(0, 8),
      ),
  );
  const value = pulumi
    .all([known, generation])
    .apply(([[digest, token, address, registries, networkCidr], current]) =>
      files(`${digest}::node:${token}`, address, registries, networkCidr, current),
    );
  const parameter = new aws.ssm.Parameter(
    `${name}-${pool.name}-join`,
    {
      name: `/fleetwright/${pulumi.getProject()}/${pulumi.getStack()}/${name}/${pool.name}`,
      description: `How nodes of the pool ${pool.name} join ${name}`,
      type: "SecureString",
      tier: pulumi.unsecret(
        value.apply((text) => (text.length > MAX_STANDARD_LENGTH ? "Advanced" : "Standard")),
      ),
      value: pulumi.secret(value),
      tags: args.tags,
    },
    // Pools follow when all servers are well, as RKE2 wants it for upgrades.
    { parent, deleteBeforeReplace: true, dependsOn: [...servers.running] },
  );
  return { parameter, generation };
}

function makePool(
  name: string,
  pool: PoolSettings,
  settings: Rke2PoolsSettings & {
    parameter: aws.ssm.Parameter;
    generation: pulumi.Output<string>;
    profile: aws.iam.InstanceProfile;
  },
  transform: NodePoolTransforms,
  parent: pulumi.Resource,
): NodePool {
  const { args, plane, parameter } = settings;
  const region = aws.getRegionOutput({}, { parent }).region;
  const userData = pulumi
    .all([settings.publicKey, parameter.name, region, args.network.cidr, partitionOf(parent)])
    .apply(([publicKey, parameterName, here, networkCidr, { dnsSuffix }]) =>
      agentUserData(
        { user: args.login.user, publicKey },
        {
          region: here,
          endpoint: args.awsEndpoints.ssm ?? `https://ssm.${here}.${dnsSuffix}`,
          parameter: parameterName,
          groupEndpoint: args.awsEndpoints.autoScaling ?? `https://autoscaling.${here}.${dnsSuffix}`,
          group: groupName(name, pool),
          proxy: proxyExports({ free: args, networkCidr, ...args.podNetwork }),
        },
      ),
    );
  return new NodePool(
    `${name}-${pool.name}`,
    {
      cluster: name,
      pool: pool.name,
      groupName: groupName(name, pool),
      subnetIds: args.network.privateSubnets.map(({ id }) => id),
      securityGroupIds: [plane.firewall.agents.id],
      image: nodeImage(pool.imageId, args.imageName, parent),
      instanceType: pool.instanceType,
      instanceProfile: settings.profile.name,
      userData,
      count: pool.count,
      min: pool.min,
      max: pool.max,
      labels: pool.labels,
      taints: pool.taints,
      generation: settings.generation,
      rootVolumeSize: pool.rootVolumeSize,
      tags: args.tags,
      transform,
    },
    { parent, dependsOn: [parameter] },
  );
}
