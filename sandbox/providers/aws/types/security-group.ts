import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import type { AwsContext } from "../core/context";
import { declare } from "../core/declaration";
import { chosenOnce, local } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";
import type { Rule } from "./permission";
import { atomicRules, revoke, rulesOf, setRules } from "./permission";

const rules = { computed: true, set: true, normal: atomicRules };

/** A security group, with rules of its own if the program writes them here. */
export const securityGroup = declare<aws.ec2.SecurityGroupArgs, aws.ec2.SecurityGroupState>({
  token: "aws:ec2/securityGroup:SecurityGroup",
  properties: {
    description: { replaces: true, fallback: "Managed by Pulumi" },
    egress: rules,
    ingress: rules,
    name: chosenOnce,
    namePrefix: { replaces: true, local: true },
    revokeRulesOnDelete: { ...local, fallback: false },
    vpcId: chosenOnce,
  },
  name: { property: "name", maxLength: 255, prefixProperty: "namePrefix" },
  tagging: ec2Tagging,
  async create(context, inputs) {
    const ec2 = await context.aws.ec2();
    const { GroupId } = await ec2.createSecurityGroup({
      GroupName: inputs.name ?? `${inputs.namePrefix ?? ""}${Date.now().toString(16)}`,
      Description: inputs.description,
      VpcId: inputs.vpcId,
      TagSpecifications: tagged("security-group", inputs.tags),
    });
    const id = context.started(given(GroupId, "the id of the security group"));
    // AWS lets everything out of a new group; the official provider takes that rule away.
    await setRules(context, id, "egress", ruleList(inputs.egress));
    await setRules(context, id, "ingress", ruleList(inputs.ingress));
    return id;
  },
  read: readGroup,
  async update(context, id, news, { has }) {
    if (has("egress") && news.egress !== undefined)
      await setRules(context, id, "egress", ruleList(news.egress));
    if (has("ingress") && news.ingress !== undefined)
      await setRules(context, id, "ingress", ruleList(news.ingress));
  },
  async delete(context, id, state) {
    const ec2 = await context.aws.ec2();
    if (state.revokeRulesOnDelete === true) await clear(context, id);
    await ec2.deleteSecurityGroup({ GroupId: id });
  },
});

/** The group that AWS makes with every VPC: taken over with all its rules, and never deleted. */
export const defaultSecurityGroup = declare<
  aws.ec2.DefaultSecurityGroupArgs,
  aws.ec2.DefaultSecurityGroupState
>({
  token: "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
  properties: {
    // Without rules in the program the group has none: closing it is what this type is for.
    egress: { set: true, normal: atomicRules },
    ingress: { set: true, normal: atomicRules },
    revokeRulesOnDelete: { ...local, fallback: false },
    vpcId: chosenOnce,
  },
  tagging: ec2Tagging,
  async create(context, inputs) {
    const ec2 = await context.aws.ec2();
    const vpc =
      inputs.vpcId ??
      (await ec2.describeVpcs({ Filters: [{ Name: "is-default", Values: ["true"] }] })).Vpcs?.[0]?.VpcId;
    const { SecurityGroups } = await ec2.describeSecurityGroups({
      Filters: [
        { Name: "group-name", Values: ["default"] },
        { Name: "vpc-id", Values: [given(vpc, "a default VPC")] },
      ],
    });
    const id = given(SecurityGroups?.[0]?.GroupId, "a default security group");
    await setRules(context, id, "egress", ruleList(inputs.egress));
    await setRules(context, id, "ingress", ruleList(inputs.ingress));
    if (inputs.tags !== undefined && Object.keys(inputs.tags).length > 0)
      await ec2Tagging.set(context, id, {}, inputs.tags);
    return id;
  },
  read: readGroup,
  async update(context, id, news) {
    await setRules(context, id, "egress", ruleList(news.egress));
    await setRules(context, id, "ingress", ruleList(news.ingress));
  },
  async delete() {},
});

async function readGroup({ aws, region, partition }: AwsContext, id: string) {
  const { SecurityGroups } = await (await aws.ec2()).describeSecurityGroups({ GroupIds: [id] });
  const found = SecurityGroups?.[0];
  if (found === undefined) return undefined;
  return {
    arn: `arn:${partition}:ec2:${region}:${found.OwnerId ?? ""}:security-group/${id}`,
    description: found.Description,
    egress: rulesOf(found.IpPermissionsEgress, id),
    ingress: rulesOf(found.IpPermissions, id),
    name: found.GroupName,
    ownerId: found.OwnerId,
    tags: fromTagList(found.Tags),
    vpcId: found.VpcId,
  };
}

async function clear(context: AwsContext, id: string): Promise<void> {
  const { SecurityGroups } = await (await context.aws.ec2()).describeSecurityGroups({ GroupIds: [id] });
  const found = SecurityGroups?.[0];
  if ((found?.IpPermissions ?? []).length > 0)
    await revoke(context, id, "ingress", found?.IpPermissions ?? []);
  if ((found?.IpPermissionsEgress ?? []).length > 0)
    await revoke(context, id, "egress", found?.IpPermissionsEgress ?? []);
}

function ruleList(list: readonly Rule[] | undefined): readonly Rule[] {
  return list ?? [];
}
