import type { AutoScalingGroup as Found, CreateAutoScalingGroupType } from "@aws-sdk/client-auto-scaling";
import type * as aws from "@pulumi/aws";
import type { AwsContext } from "../core/context";
import type { Plain } from "../core/declaration";
import { declare, literal } from "../core/declaration";
import { isAbsent } from "../core/errors";
import { chosen, chosenOnce, local, required, replaces } from "../core/property";

type Args = Plain<aws.autoscaling.GroupArgs>;

/** Instances that AWS keeps at a number. */
export const autoScalingGroup = declare<aws.autoscaling.GroupArgs, aws.autoscaling.GroupState>({
  token: "aws:autoscaling/group:Group",
  properties: {
    availabilityZones: { ...chosen, set: true },
    capacityRebalance: chosen,
    defaultCooldown: chosen,
    defaultInstanceWarmup: chosen,
    desiredCapacity: chosen,
    forceDelete: { ...local, fallback: false },
    healthCheckGracePeriod: { fallback: 300 },
    healthCheckType: chosen,
    // As with the official provider, a later change of it changes nothing.
    initialLifecycleHooks: { ...local, set: true },
    instanceRefresh: local,
    launchTemplate: {},
    maxInstanceLifetime: chosen,
    maxSize: required,
    metricsGranularity: { ...local, fallback: "1Minute" },
    minSize: required,
    name: chosenOnce,
    namePrefix: { ...replaces, local: true },
    protectFromScaleIn: { fallback: false },
    tags: { set: true },
    targetGroupArns: { ...chosen, set: true },
    terminationPolicies: chosen,
    vpcZoneIdentifiers: { ...chosen, set: true },
    waitForCapacityTimeout: { ...local, fallback: "10m" },
  },
  name: { property: "name", maxLength: 255, prefixProperty: "namePrefix" },
  check: ({ launchTemplate, vpcZoneIdentifiers, availabilityZones }) => [
    ...(launchTemplate === undefined ? ["An auto scaling group needs launchTemplate; it is missing"] : []),
    ...((vpcZoneIdentifiers ?? availabilityZones) === undefined
      ? ["Either vpcZoneIdentifiers or availabilityZones has to be given"]
      : []),
  ],
  async create({ aws }, inputs) {
    const name = inputs.name ?? `${inputs.namePrefix ?? ""}${Date.now().toString(16)}`;
    await (
      await aws.autoscaling()
    ).createAutoScalingGroup({
      ...settings(inputs, name),
      ...(inputs.tags === undefined ? {} : { Tags: tags(name, inputs.tags) }),
      TargetGroupARNs: inputs.targetGroupArns,
      LifecycleHookSpecificationList: inputs.initialLifecycleHooks?.map((hook) => ({
        LifecycleHookName: hook.name,
        LifecycleTransition: hook.lifecycleTransition,
        HeartbeatTimeout: hook.heartbeatTimeout,
        DefaultResult: hook.defaultResult,
        NotificationMetadata: hook.notificationMetadata,
        NotificationTargetARN: hook.notificationTargetArn,
        RoleARN: hook.roleArn,
      })),
    });
    return name;
  },
  async settle(context, id, inputs) {
    const wanted = inputs.desiredCapacity ?? inputs.minSize;
    if (inputs.waitForCapacityTimeout === "0") return;
    await context.deadline.until(`${wanted} instances of ${id} are in service`, async () => {
      const found = await described(context, id);
      const serving = (found?.Instances ?? []).filter(({ LifecycleState }) => LifecycleState === "InService");
      return serving.length >= wanted || undefined;
    });
  },
  async read(context, id) {
    const found = await described(context, id);
    if (found === undefined || found.Status !== undefined) return undefined;
    const template = found.LaunchTemplate;
    return {
      arn: found.AutoScalingGroupARN,
      availabilityZones: found.AvailabilityZones ?? [],
      capacityRebalance: found.CapacityRebalance ?? false,
      defaultCooldown: found.DefaultCooldown,
      defaultInstanceWarmup: found.DefaultInstanceWarmup ?? 0,
      desiredCapacity: found.DesiredCapacity,
      healthCheckGracePeriod: found.HealthCheckGracePeriod,
      healthCheckType: found.HealthCheckType,
      ...(template === undefined
        ? {}
        : {
            launchTemplate: {
              id: template.LaunchTemplateId,
              name: template.LaunchTemplateName,
              version: template.Version ?? "$Default",
            },
          }),
      maxInstanceLifetime: found.MaxInstanceLifetime ?? 0,
      maxSize: found.MaxSize,
      minSize: found.MinSize,
      name: found.AutoScalingGroupName,
      protectFromScaleIn: found.NewInstancesProtectedFromScaleIn ?? false,
      serviceLinkedRoleArn: found.ServiceLinkedRoleARN,
      tags: (found.Tags ?? []).map(({ Key, Value, PropagateAtLaunch }) => ({
        key: Key ?? "",
        propagateAtLaunch: PropagateAtLaunch ?? false,
        value: Value ?? "",
      })),
      targetGroupArns: found.TargetGroupARNs ?? [],
      terminationPolicies: found.TerminationPolicies,
      vpcZoneIdentifiers: (found.VPCZoneIdentifier ?? "").split(",").filter((id) => id !== ""),
    };
  },
  async update(context, id, news, { olds, has }) {
    const scaling = await context.aws.autoscaling();
    await scaling.updateAutoScalingGroup(settings(news, id));
    if (has("launchTemplate") && news.instanceRefresh !== undefined) {
      const { strategy, preferences } = news.instanceRefresh;
      const refresh = {
        AutoScalingGroupName: id,
        Strategy: literal<"Rolling">(strategy),
        Preferences: refreshPreferences(preferences),
      };
      try {
        await scaling.startInstanceRefresh(refresh);
      } catch (error) {
        if (!(error instanceof Error) || error.name !== "InstanceRefreshInProgressFault") throw error;
        // One towards a shape that is not wanted any more; what it has renewed so far stays.
        await scaling.cancelInstanceRefresh({ AutoScalingGroupName: id });
        await scaling.startInstanceRefresh(refresh);
      }
    }
    if (has("tags")) {
      const gone = (olds.tags ?? []).filter(({ key }) => news.tags?.some((tag) => tag.key === key) !== true);
      if (gone.length > 0) await scaling.deleteTags({ Tags: tags(id, gone) });
      if ((news.tags ?? []).length > 0) await scaling.createOrUpdateTags({ Tags: tags(id, news.tags ?? []) });
    }
    if (has("targetGroupArns") && news.targetGroupArns !== undefined) {
      const gone = (olds.targetGroupArns ?? []).filter((arn) => !news.targetGroupArns?.includes(arn));
      const come = news.targetGroupArns.filter((arn) => olds.targetGroupArns?.includes(arn) !== true);
      if (gone.length > 0)
        await scaling.detachLoadBalancerTargetGroups({ AutoScalingGroupName: id, TargetGroupARNs: gone });
      if (come.length > 0)
        await scaling.attachLoadBalancerTargetGroups({ AutoScalingGroupName: id, TargetGroupARNs: come });
    }
  },
  async delete(context, id, state) {
    const scaling = await context.aws.autoscaling();
    const absent = async (): Promise<boolean> => (await described(context, id)) === undefined;
    if (await absent()) return;
    // AWS empties the group at its own pace; only then it goes.
    await scaling.updateAutoScalingGroup({
      AutoScalingGroupName: id,
      MinSize: 0,
      MaxSize: 0,
      DesiredCapacity: 0,
    });
    if (state.forceDelete !== true) {
      await context.deadline.until(
        `${id} has no instances`,
        async () => (await described(context, id))?.Instances?.length === 0 || undefined,
      );
    }
    await scaling.deleteAutoScalingGroup({
      AutoScalingGroupName: id,
      ForceDelete: state.forceDelete ?? false,
    });
    await context.deadline.until(
      `auto scaling group ${id} is deleted`,
      async () => (await absent()) || undefined,
    );
  },
});

async function described({ aws }: AwsContext, id: string): Promise<Found | undefined> {
  try {
    const { AutoScalingGroups } = await (
      await aws.autoscaling()
    ).describeAutoScalingGroups({ AutoScalingGroupNames: [id] });
    return AutoScalingGroups?.[0];
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function settings(inputs: Args, name: string): CreateAutoScalingGroupType {
  const template = inputs.launchTemplate;
  return {
    AutoScalingGroupName: name,
    AvailabilityZones: inputs.vpcZoneIdentifiers === undefined ? inputs.availabilityZones : undefined,
    CapacityRebalance: inputs.capacityRebalance,
    DefaultCooldown: inputs.defaultCooldown,
    DefaultInstanceWarmup: inputs.defaultInstanceWarmup,
    DesiredCapacity: inputs.desiredCapacity,
    HealthCheckGracePeriod: inputs.healthCheckGracePeriod,
    HealthCheckType: inputs.healthCheckType,
    LaunchTemplate:
      template === undefined
        ? undefined
        : {
            LaunchTemplateId: template.id,
            LaunchTemplateName: template.id === undefined ? template.name : undefined,
            Version: template.version ?? "$Default",
          },
    MaxInstanceLifetime: inputs.maxInstanceLifetime,
    MaxSize: inputs.maxSize,
    MinSize: inputs.minSize,
    NewInstancesProtectedFromScaleIn: inputs.protectFromScaleIn,
    TerminationPolicies: inputs.terminationPolicies,
    VPCZoneIdentifier: inputs.vpcZoneIdentifiers?.join(","),
  };
}

type Preferences = NonNullable<NonNullable<Args["instanceRefresh"]>["preferences"]>;

function refreshPreferences(preferences: Preferences | undefined) {
  const warmUp = preferences?.instanceWarmup;
  return {
    InstanceWarmup: warmUp === undefined ? undefined : Number(warmUp),
    MaxHealthyPercentage: preferences?.maxHealthyPercentage,
    MinHealthyPercentage: preferences?.minHealthyPercentage,
    SkipMatching: preferences?.skipMatching,
  };
}

function tags(name: string, list: readonly { key: string; value: string; propagateAtLaunch: boolean }[]) {
  return list.map(({ key, value, propagateAtLaunch }) => ({
    Key: key,
    PropagateAtLaunch: propagateAtLaunch,
    ResourceId: name,
    ResourceType: "auto-scaling-group",
    Value: value,
  }));
}
