import type { Cluster as Found, CreateClusterRequest } from "@aws-sdk/client-eks";
import type * as aws from "@pulumi/aws";
import type { AwsContext } from "../core/context";
import type { Plain, Tagging } from "../core/declaration";
import { declare, literal, literals } from "../core/declaration";
import { chosen, chosenOnce, identifies, local } from "../core/property";

type Args = Plain<aws.eks.ClusterArgs>;

/** Tags of everything in EKS, by the ARN in the state. */
export function eksTagging(property = "arn"): Tagging {
  return {
    set: async ({ aws }, _id, state, tags) =>
      (await aws.eks()).tagResource({ resourceArn: String(state[property]), tags: { ...tags } }),
    remove: async ({ aws }, _id, state, tagKeys) => {
      const eks = await aws.eks();
      // One at a time: moto hears only the first of several.
      for (const key of tagKeys)
        await eks.untagResource({ resourceArn: String(state[property]), tagKeys: [key] });
    },
  };
}

/** A control plane that AWS runs. */
export const eksCluster = declare<aws.eks.ClusterArgs, aws.eks.ClusterState>({
  token: "aws:eks/cluster:Cluster",
  properties: {
    accessConfig: chosen,
    bootstrapSelfManagedAddons: { replaces: true, fallback: true, local: true },
    computeConfig: chosen,
    deletionProtection: chosen,
    enabledClusterLogTypes: { set: true },
    encryptionConfig: {},
    forceUpdateVersion: local,
    kubernetesNetworkConfig: chosen,
    name: chosenOnce,
    roleArn: identifies,
    storageConfig: chosen,
    upgradePolicy: chosen,
    version: chosen,
    vpcConfig: { required: true, normal: sortedLists },
    zonalShiftConfig: chosen,
  },
  name: { property: "name", maxLength: 100 },
  tagging: eksTagging(),
  replacesFor: (olds, news) => [
    ...(changes(
      olds.accessConfig?.bootstrapClusterCreatorAdminPermissions,
      news.accessConfig?.bootstrapClusterCreatorAdminPermissions,
    )
      ? (["accessConfig"] as const)
      : []),
    ...(olds.encryptionConfig !== undefined ? (["encryptionConfig"] as const) : []),
    ...(changes(olds.kubernetesNetworkConfig?.ipFamily, news.kubernetesNetworkConfig?.ipFamily) ||
    changes(olds.kubernetesNetworkConfig?.serviceIpv4Cidr, news.kubernetesNetworkConfig?.serviceIpv4Cidr)
      ? (["kubernetesNetworkConfig"] as const)
      : []),
  ],
  async create(context, inputs) {
    const name = inputs.name ?? "";
    await (
      await context.aws.eks()
    ).createCluster({ ...request(inputs, name), clientRequestToken: context.token });
    return name;
  },
  settle: (context, id) => active(context, id),
  async read(context, id, known) {
    const found = await described(context, id);
    if (found === undefined || found.status === "DELETING") return undefined;
    return clusterState(found, known);
  },
  async update(context, id, news, { olds, has }) {
    const eks = await context.aws.eks();
    if (has("version") && news.version !== undefined && news.version !== olds.version) {
      await eks.updateClusterVersion({ name: id, version: news.version, force: news.forceUpdateVersion });
      await active(context, id);
    }
    const mode = news.accessConfig?.authenticationMode;
    if (has("accessConfig") && mode !== undefined) {
      await eks.updateClusterConfig({ name: id, accessConfig: { authenticationMode: literal(mode) } });
      await active(context, id);
    }
    if (has("enabledClusterLogTypes")) {
      await eks.updateClusterConfig({ name: id, logging: logging(news, olds.enabledClusterLogTypes) });
      await active(context, id);
    }
    if (has("vpcConfig")) {
      await eks.updateClusterConfig({ name: id, resourcesVpcConfig: network(news) });
      await active(context, id);
    }
    if (has("upgradePolicy") && news.upgradePolicy !== undefined) {
      await eks.updateClusterConfig({
        name: id,
        upgradePolicy: { supportType: literal(news.upgradePolicy.supportType) },
      });
      await active(context, id);
    }
    if (has("deletionProtection") && news.deletionProtection !== undefined) {
      await eks.updateClusterConfig({ name: id, deletionProtection: news.deletionProtection });
      await active(context, id);
    }
  },
  async delete(context, id) {
    await (await context.aws.eks()).deleteCluster({ name: id });
    await gone(context, `cluster ${id}`, () => described(context, id));
  },
});

/** Waits until something of EKS cannot be found any more. */
export async function gone(
  { deadline }: AwsContext,
  what: string,
  find: () => Promise<object | undefined>,
): Promise<void> {
  await deadline.until(`${what} is deleted`, async () => {
    const found = await find().catch((error: unknown) => {
      if (Reflect.get(Object(error), "name") === "ResourceNotFoundException") return undefined;
      throw error;
    });
    return found === undefined || undefined;
  });
}

async function described({ aws }: AwsContext, id: string): Promise<Found | undefined> {
  return (await (await aws.eks()).describeCluster({ name: id })).cluster;
}

async function active(context: AwsContext, id: string): Promise<void> {
  await context.deadline.until(`cluster ${id} is active`, async () => {
    const found = await described(context, id);
    if (found?.status === "FAILED")
      throw new Error(`Cluster ${id} failed: ${JSON.stringify(found.health?.issues ?? [])}`);
    return found?.status === "ACTIVE" || undefined;
  });
}

function request(inputs: Args, name: string): CreateClusterRequest {
  const access = inputs.accessConfig;
  return {
    accessConfig:
      access === undefined
        ? undefined
        : {
            authenticationMode: literal(access.authenticationMode),
            bootstrapClusterCreatorAdminPermissions: access.bootstrapClusterCreatorAdminPermissions,
          },
    bootstrapSelfManagedAddons: inputs.bootstrapSelfManagedAddons,
    computeConfig: inputs.computeConfig,
    deletionProtection: inputs.deletionProtection,
    encryptionConfig: inputs.encryptionConfig === undefined ? undefined : [inputs.encryptionConfig],
    kubernetesNetworkConfig:
      inputs.kubernetesNetworkConfig === undefined
        ? undefined
        : {
            elasticLoadBalancing: inputs.kubernetesNetworkConfig.elasticLoadBalancing,
            ipFamily: literal(inputs.kubernetesNetworkConfig.ipFamily),
            serviceIpv4Cidr: inputs.kubernetesNetworkConfig.serviceIpv4Cidr,
          },
    logging: inputs.enabledClusterLogTypes === undefined ? undefined : logging(inputs, []),
    name,
    resourcesVpcConfig: network(inputs),
    roleArn: inputs.roleArn,
    storageConfig: inputs.storageConfig,
    tags: inputs.tags,
    upgradePolicy:
      inputs.upgradePolicy === undefined
        ? undefined
        : { supportType: literal(inputs.upgradePolicy.supportType) },
    version: inputs.version,
    zonalShiftConfig: inputs.zonalShiftConfig,
  };
}

function network({ vpcConfig }: Args) {
  return {
    endpointPrivateAccess: vpcConfig.endpointPrivateAccess ?? false,
    endpointPublicAccess: vpcConfig.endpointPublicAccess ?? true,
    publicAccessCidrs: vpcConfig.publicAccessCidrs,
    securityGroupIds: vpcConfig.securityGroupIds,
    subnetIds: vpcConfig.subnetIds,
  };
}

function logging({ enabledClusterLogTypes }: Args, before: readonly string[] | undefined) {
  const wanted = enabledClusterLogTypes ?? [];
  const off = (before ?? []).filter((type) => !wanted.includes(type));
  return {
    clusterLogging: [
      ...(wanted.length > 0 ? [{ enabled: true, types: literals<"api">(wanted) }] : []),
      ...(off.length > 0 ? [{ enabled: false, types: literals<"api">(off) }] : []),
    ],
  };
}

function changes(old: unknown, wanted: unknown): boolean {
  return wanted !== undefined && wanted !== old;
}

/** The lists in `vpcConfig` have no order. */
function sortedLists(value: unknown): unknown {
  const entries = Object.entries(Object(value) as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, Array.isArray(item) ? [...(item as unknown[])].sort() : item]),
  );
}

function clusterState(found: Found, known: Plain<aws.eks.ClusterState>): Plain<aws.eks.ClusterState> {
  const network = found.resourcesVpcConfig;
  const encryption = found.encryptionConfig?.[0];
  return {
    ...(found.accessConfig === undefined ? {} : { accessConfig: { ...found.accessConfig } }),
    arn: found.arn,
    certificateAuthority: { data: found.certificateAuthority?.data },
    computeConfig: found.computeConfig,
    createdAt: found.createdAt?.toISOString(),
    deletionProtection: found.deletionProtection,
    enabledClusterLogTypes: (found.logging?.clusterLogging ?? []).flatMap(({ enabled, types }) =>
      enabled === true ? (types ?? []) : [],
    ),
    ...(encryption?.provider?.keyArn === undefined
      ? {}
      : {
          encryptionConfig: {
            provider: { keyArn: encryption.provider.keyArn },
            // eslint-disable-next-line @typescript-eslint/no-deprecated -- the official provider still tells it
            resources: encryption.resources ?? [],
          },
        }),
    endpoint: found.endpoint,
    identities: [{ oidcs: [{ issuer: found.identity?.oidc?.issuer }] }],
    kubernetesNetworkConfig: found.kubernetesNetworkConfig,
    name: found.name,
    platformVersion: found.platformVersion,
    roleArn: found.roleArn,
    status: found.status,
    storageConfig: found.storageConfig,
    tags: found.tags,
    upgradePolicy: found.upgradePolicy,
    version: found.version,
    vpcConfig: {
      clusterSecurityGroupId: network?.clusterSecurityGroupId,
      endpointPrivateAccess: network?.endpointPrivateAccess ?? known.vpcConfig?.endpointPrivateAccess,
      endpointPublicAccess: network?.endpointPublicAccess ?? known.vpcConfig?.endpointPublicAccess,
      publicAccessCidrs: network?.publicAccessCidrs,
      securityGroupIds: network?.securityGroupIds,
      subnetIds: network?.subnetIds ?? [],
      vpcId: network?.vpcId,
    },
    zonalShiftConfig: found.zonalShiftConfig,
  };
}
