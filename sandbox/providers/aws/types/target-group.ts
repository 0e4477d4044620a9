import type * as aws from "@pulumi/aws";
import { filled, given } from "../core/answer";
import type { AwsContext } from "../core/context";
import type { Plain } from "../core/declaration";
import { declare, literal } from "../core/declaration";
import { awsCode } from "../core/errors";
import { chosen, chosenOnce, identifies, replaces } from "../core/property";
import { tagList } from "../core/tags";
import { elbTagging, elbTags } from "./load-balancer";

type Args = Plain<aws.lb.TargetGroupArgs>;

/** Attributes of a target group by their names in Pulumi and AWS. */
const ATTRIBUTES = {
  connectionTermination: "deregistration_delay.connection_termination.enabled",
  deregistrationDelay: "deregistration_delay.timeout_seconds",
  loadBalancingCrossZoneEnabled: "load_balancing.cross_zone.enabled",
  preserveClientIp: "preserve_client_ip.enabled",
  proxyProtocolV2: "proxy_protocol_v2.enabled",
  slowStart: "slow_start.duration_seconds",
} as const;

/** The targets behind a listener. */
export const targetGroup = declare<aws.lb.TargetGroupArgs, aws.lb.TargetGroupState>({
  token: "aws:lb/targetGroup:TargetGroup",
  properties: {
    connectionTermination: chosen,
    deregistrationDelay: { fallback: 300 },
    healthCheck: chosen,
    ipAddressType: chosenOnce,
    loadBalancingCrossZoneEnabled: chosen,
    name: chosenOnce,
    namePrefix: { ...replaces, local: true },
    port: replaces,
    preserveClientIp: chosen,
    protocol: replaces,
    protocolVersion: chosenOnce,
    proxyProtocolV2: { fallback: false },
    slowStart: { fallback: 0 },
    stickiness: chosen,
    targetType: { replaces: true, fallback: "instance", oneOf: ["instance", "ip", "lambda", "alb"] },
    vpcId: replaces,
  },
  name: { property: "name", maxLength: 32, prefixProperty: "namePrefix" },
  tagging: elbTagging,
  async create(context, inputs) {
    const { TargetGroups } = await (
      await context.aws.elb()
    ).createTargetGroup({
      ...health(inputs),
      IpAddressType: literal(inputs.ipAddressType),
      Name: inputs.name ?? `${inputs.namePrefix ?? ""}${Date.now().toString(16)}`,
      Port: inputs.port,
      Protocol: literal(inputs.protocol),
      ProtocolVersion: inputs.protocolVersion,
      ...(tagList(inputs.tags).length === 0 ? {} : { Tags: tagList(inputs.tags) }),
      TargetType: literal(inputs.targetType),
      VpcId: inputs.vpcId,
    });
    const arn = context.started(given(TargetGroups?.[0]?.TargetGroupArn, "the ARN of the target group"));
    await setAttributes(context, arn, inputs);
    return arn;
  },
  async read(context, arn, known) {
    const elb = await context.aws.elb();
    const { TargetGroups } = await elb.describeTargetGroups({ TargetGroupArns: [arn] });
    const found = TargetGroups?.[0];
    if (found === undefined) return undefined;
    const { Attributes } = await elb.describeTargetGroupAttributes({ TargetGroupArn: arn });
    const attribute = (key: string): string | undefined => Attributes?.find(({ Key }) => Key === key)?.Value;
    return {
      arn,
      arnSuffix: arn.slice(arn.indexOf(":targetgroup/") + 1),
      connectionTermination: attribute(ATTRIBUTES.connectionTermination) === "true",
      deregistrationDelay: Number(attribute(ATTRIBUTES.deregistrationDelay) ?? 300),
      healthCheck: {
        enabled: found.HealthCheckEnabled ?? true,
        healthyThreshold: found.HealthyThresholdCount,
        interval: found.HealthCheckIntervalSeconds,
        matcher: found.Matcher?.HttpCode ?? "",
        path: found.HealthCheckPath ?? "",
        port: found.HealthCheckPort,
        protocol: found.HealthCheckProtocol,
        timeout: found.HealthCheckTimeoutSeconds,
        unhealthyThreshold: found.UnhealthyThresholdCount,
      },
      ipAddressType: found.IpAddressType,
      loadBalancerArns: found.LoadBalancerArns ?? [],
      loadBalancingCrossZoneEnabled: attribute(ATTRIBUTES.loadBalancingCrossZoneEnabled),
      name: found.TargetGroupName,
      port: found.Port,
      preserveClientIp: attribute(ATTRIBUTES.preserveClientIp),
      protocol: found.Protocol,
      protocolVersion: found.ProtocolVersion,
      proxyProtocolV2: attribute(ATTRIBUTES.proxyProtocolV2) === "true",
      slowStart: Number(attribute(ATTRIBUTES.slowStart) ?? 0),
      ...(known.stickiness === undefined && attribute("stickiness.enabled") !== "true"
        ? {}
        : {
            stickiness: {
              enabled: attribute("stickiness.enabled") === "true",
              type: attribute("stickiness.type") ?? "source_ip",
            },
          }),
      tags: await elbTags(context, arn),
      targetType: found.TargetType,
      vpcId: found.VpcId,
    };
  },
  async update(context, arn, news, { has }) {
    if (has("healthCheck"))
      await (await context.aws.elb()).modifyTargetGroup({ TargetGroupArn: arn, ...health(news) });
    await setAttributes(context, arn, news);
  },
  delete: async ({ aws }, arn) => (await aws.elb()).deleteTargetGroup({ TargetGroupArn: arn }),
});

function health({ healthCheck }: Args) {
  if (healthCheck === undefined) return {};
  const matcher = filled(healthCheck.matcher);
  return {
    HealthCheckEnabled: healthCheck.enabled,
    HealthCheckIntervalSeconds: healthCheck.interval,
    HealthCheckPath: filled(healthCheck.path),
    HealthCheckPort: healthCheck.port,
    HealthCheckProtocol: literal<"TCP">(healthCheck.protocol),
    HealthCheckTimeoutSeconds: healthCheck.timeout,
    HealthyThresholdCount: healthCheck.healthyThreshold,
    Matcher: matcher === undefined ? undefined : { HttpCode: matcher },
    UnhealthyThresholdCount: healthCheck.unhealthyThreshold,
  };
}

async function setAttributes({ aws }: AwsContext, arn: string, inputs: Args): Promise<void> {
  const plain = Object.entries(ATTRIBUTES).map(([name, Key]) => {
    const value: unknown = Reflect.get(inputs, name);
    // Each attribute belongs to some protocols only; what the program leaves alone is not sent.
    const idle = value === undefined || value === false || (value === 0 && name === "slowStart");
    return {
      Key,
      Value: idle && name !== "connectionTermination" && name !== "proxyProtocolV2" ? undefined : value,
    };
  });
  const isNetwork = ["TCP", "UDP", "TLS", "TCP_UDP"].includes(inputs.protocol ?? "");
  const sticky = inputs.stickiness;
  const all = [
    ...plain.filter(
      ({ Key }) =>
        isNetwork || (Key !== ATTRIBUTES.proxyProtocolV2 && Key !== ATTRIBUTES.connectionTermination),
    ),
    { Key: "stickiness.enabled", Value: sticky === undefined ? undefined : (sticky.enabled ?? true) },
    { Key: "stickiness.type", Value: sticky?.type },
  ].filter(({ Value }) => Value !== undefined);
  if (all.length === 0) return;
  const Attributes = all.map(({ Key, Value }) => ({ Key, Value: String(Value) }));
  await (await aws.elb()).modifyTargetGroupAttributes({ TargetGroupArn: arn, Attributes });
}

/** That something is a target of a group. */
export const targetGroupAttachment = declare<
  aws.lb.TargetGroupAttachmentArgs,
  aws.lb.TargetGroupAttachmentState
>({
  token: "aws:lb/targetGroupAttachment:TargetGroupAttachment",
  properties: {
    availabilityZone: replaces,
    port: chosenOnce,
    targetGroupArn: identifies,
    targetId: identifies,
  },
  async create({ aws }, inputs) {
    await (
      await aws.elb()
    ).registerTargets({ TargetGroupArn: inputs.targetGroupArn, Targets: [target(inputs)] });
    return `${inputs.targetGroupArn},${inputs.targetId}${inputs.port === undefined ? "" : `,${inputs.port}`}`;
  },
  fromImport(given) {
    const [targetGroupArn, targetId, port] = given.split(",");
    return {
      id: given,
      known: { targetGroupArn, targetId, ...(port === undefined ? {} : { port: Number(port) }) },
    };
  },
  async read({ aws }, _id, known) {
    const { TargetHealthDescriptions } = await (
      await aws.elb()
    ).describeTargetHealth({ TargetGroupArn: known.targetGroupArn });
    const found = TargetHealthDescriptions?.find(
      ({ Target, TargetHealth }) =>
        Target?.Id === known.targetId &&
        (known.port === undefined || Target?.Port === known.port) &&
        TargetHealth?.State !== "draining",
    );
    if (found === undefined) return undefined;
    return {
      availabilityZone: known.availabilityZone,
      ...(known.port === undefined ? {} : { port: found.Target?.Port }),
      targetGroupArn: known.targetGroupArn,
      targetId: found.Target?.Id,
    };
  },
  async delete({ aws }, _id, state) {
    const elb = await aws.elb();
    await elb
      .deregisterTargets({ TargetGroupArn: state.targetGroupArn, Targets: [target(state)] })
      .catch((error: unknown) => {
        // It is no target any more, or the instance is gone.
        if (awsCode(error) !== "InvalidTargetException" && awsCode(error) !== "InvalidTarget") throw error;
      });
  },
});

function target(inputs: Plain<aws.lb.TargetGroupAttachmentState>) {
  return {
    Id: given(inputs.targetId, "targetId"),
    Port: inputs.port,
    AvailabilityZone: inputs.availabilityZone,
  };
}
