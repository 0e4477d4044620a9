import type { Nodegroup as Found } from "@aws-sdk/client-eks";
import type * as aws from "@pulumi/aws";
import { filled } from "../core/answer";
import type { AwsContext } from "../core/context";
import type { Plain } from "../core/declaration";
import { declare, literal } from "../core/declaration";
import { chosen, chosenOnce, identifies, local, replaces, required } from "../core/property";
import { eksTagging, gone } from "./eks-cluster";

type Taints = Plain<aws.eks.NodeGroupArgs>["taints"];

/** Nodes of an EKS cluster that AWS keeps at a number. */
export const eksNodeGroup = declare<aws.eks.NodeGroupArgs, aws.eks.NodeGroupState>({
  token: "aws:eks/nodeGroup:NodeGroup",
  properties: {
    amiType: chosenOnce,
    capacityType: chosenOnce,
    clusterName: identifies,
    diskSize: chosenOnce,
    forceUpdateVersion: local,
    instanceTypes: chosenOnce,
    labels: { map: true },
    launchTemplate: {},
    nodeGroupName: chosenOnce,
    nodeGroupNamePrefix: { ...replaces, local: true },
    nodeRoleArn: identifies,
    releaseVersion: chosen,
    remoteAccess: replaces,
    scalingConfig: required,
    subnetIds: { ...identifies, set: true },
    taints: { set: true },
    updateConfig: chosen,
    version: chosen,
  },
  name: { property: "nodeGroupName", maxLength: 63, prefixProperty: "nodeGroupNamePrefix" },
  tagging: eksTagging(),
  // A template can get another version; another template makes another group.
  replacesFor: (olds, news) =>
    olds.launchTemplate?.id !== undefined && olds.launchTemplate.id === news.launchTemplate?.id
      ? []
      : ["launchTemplate"],
  async create(context, inputs) {
    const nodegroupName =
      inputs.nodeGroupName ?? `${inputs.nodeGroupNamePrefix ?? ""}${Date.now().toString(16)}`;
    await (
      await context.aws.eks()
    ).createNodegroup({
      amiType: literal(inputs.amiType),
      capacityType: literal(inputs.capacityType),
      clientRequestToken: context.token,
      clusterName: inputs.clusterName,
      diskSize: inputs.diskSize,
      instanceTypes: inputs.instanceTypes,
      labels: inputs.labels,
      launchTemplate: inputs.launchTemplate,
      nodeRole: inputs.nodeRoleArn,
      nodegroupName,
      releaseVersion: inputs.releaseVersion,
      remoteAccess:
        inputs.remoteAccess === undefined
          ? undefined
          : {
              ec2SshKey: inputs.remoteAccess.ec2SshKey,
              sourceSecurityGroups: inputs.remoteAccess.sourceSecurityGroupIds,
            },
      scalingConfig: inputs.scalingConfig,
      subnets: inputs.subnetIds,
      tags: inputs.tags,
      taints: taints(inputs.taints),
      updateConfig: updating(inputs.updateConfig),
      version: inputs.version,
    });
    return `${inputs.clusterName}:${nodegroupName}`;
  },
  settle: (context, id) => active(context, id),
  async read(context, id) {
    const found = await described(context, id);
    if (found === undefined || found.status === "DELETING") return undefined;
    const access = found.remoteAccess;
    const scaling = found.scalingConfig;
    return {
      amiType: found.amiType,
      arn: found.nodegroupArn,
      capacityType: found.capacityType,
      clusterName: found.clusterName,
      diskSize: found.diskSize,
      instanceTypes: found.instanceTypes,
      labels: found.labels ?? {},
      ...(found.launchTemplate === undefined
        ? {}
        : {
            launchTemplate: {
              id: found.launchTemplate.id,
              name: found.launchTemplate.name,
              version: found.launchTemplate.version ?? "",
            },
          }),
      nodeGroupName: found.nodegroupName,
      nodeRoleArn: found.nodeRole,
      releaseVersion: found.releaseVersion,
      ...(access === undefined
        ? {}
        : {
            remoteAccess: {
              ec2SshKey: access.ec2SshKey,
              sourceSecurityGroupIds: access.sourceSecurityGroups,
            },
          }),
      resources: [
        {
          autoscalingGroups: (found.resources?.autoScalingGroups ?? []).map(({ name }) => ({ name })),
          remoteAccessSecurityGroupId: found.resources?.remoteAccessSecurityGroup ?? "",
        },
      ],
      scalingConfig: {
        desiredSize: scaling?.desiredSize ?? 0,
        maxSize: scaling?.maxSize ?? 0,
        minSize: scaling?.minSize ?? 0,
      },
      status: found.status,
      subnetIds: found.subnets,
      tags: found.tags,
      taints: (found.taints ?? []).map(({ effect, key, value }) => ({
        effect: effect ?? "",
        key: key ?? "",
        value: value ?? "",
      })),
      updateConfig:
        found.updateConfig === undefined
          ? undefined
          : {
              maxUnavailable: found.updateConfig.maxUnavailable,
              maxUnavailablePercentage: found.updateConfig.maxUnavailablePercentage,
            },
      version: found.version,
    };
  },
  async update(context, id, news, { olds, has }) {
    const eks = await context.aws.eks();
    const [clusterName = "", nodegroupName = ""] = id.split(":");
    if (has("version", "releaseVersion", "launchTemplate")) {
      await eks.updateNodegroupVersion({
        clusterName,
        force: news.forceUpdateVersion,
        launchTemplate:
          news.launchTemplate === undefined
            ? undefined
            : {
                id: news.launchTemplate.id,
                name: news.launchTemplate.id === undefined ? news.launchTemplate.name : undefined,
                version: news.launchTemplate.version,
              },
        nodegroupName,
        releaseVersion: news.releaseVersion,
        version: news.version,
      });
      await active(context, id);
    }
    if (!has("labels", "scalingConfig", "taints", "updateConfig")) return;
    const goneLabels = Object.keys(olds.labels ?? {}).filter((key) => news.labels?.[key] === undefined);
    const goneTaints = (olds.taints ?? []).filter(
      ({ key, effect }) =>
        news.taints?.some((taint) => taint.key === key && taint.effect === effect) !== true,
    );
    await eks.updateNodegroupConfig({
      clusterName,
      labels: has("labels") ? { addOrUpdateLabels: news.labels, removeLabels: goneLabels } : undefined,
      nodegroupName,
      scalingConfig: has("scalingConfig") ? news.scalingConfig : undefined,
      taints: has("taints")
        ? { addOrUpdateTaints: taints(news.taints), removeTaints: taints(goneTaints) }
        : undefined,
      updateConfig: has("updateConfig") ? updating(news.updateConfig) : undefined,
    });
    await active(context, id);
  },
  async delete(context, id) {
    const [clusterName = "", nodegroupName = ""] = id.split(":");
    await (await context.aws.eks()).deleteNodegroup({ clusterName, nodegroupName });
    await gone(context, `node group ${id}`, () => described(context, id));
  },
});

async function described({ aws }: AwsContext, id: string): Promise<Found | undefined> {
  const [clusterName = "", nodegroupName = ""] = id.split(":");
  return (await (await aws.eks()).describeNodegroup({ clusterName, nodegroupName })).nodegroup;
}

async function active(context: AwsContext, id: string): Promise<void> {
  await context.deadline.until(`node group ${id} is active`, async () => {
    const found = await described(context, id);
    if (found?.status === "CREATE_FAILED" || found?.status === "DEGRADED") {
      throw new Error(`Node group ${id} failed: ${JSON.stringify(found.health?.issues ?? [])}`);
    }
    return found?.status === "ACTIVE" || undefined;
  });
}

function taints(list: Taints) {
  return list?.map(({ effect, key, value }) => ({
    effect: literal<"NO_SCHEDULE">(effect),
    key,
    value: filled(value),
  }));
}

function updating(config: Plain<aws.eks.NodeGroupArgs>["updateConfig"]) {
  if (config === undefined) return undefined;
  return { maxUnavailable: config.maxUnavailable, maxUnavailablePercentage: config.maxUnavailablePercentage };
}
