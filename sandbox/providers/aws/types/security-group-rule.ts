// Rules of security groups, one a resource.
import { crc32 } from "node:zlib";
import type { SecurityGroupRule as Found } from "@aws-sdk/client-ec2";
import type * as aws from "@pulumi/aws";
import { filled, given } from "../core/answer";
import type { AwsContext } from "../core/context";
import type { Plain } from "../core/declaration";
import { declare } from "../core/declaration";
import { identifies, replaces, required, updates } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";
import type { Direction, Rule } from "./permission";
import { atomicRules, authorize, permission, protocolName, revoke, rulesOf } from "./permission";

type OneArgs = Plain<aws.vpc.SecurityGroupIngressRuleArgs>;

const protocol = { normal: (value: unknown) => protocolName(String(value)) };

/** One rule with one source: the form that AWS itself keeps. */
function oneRule(direction: Direction, token: string) {
  return declare<aws.vpc.SecurityGroupIngressRuleArgs, aws.vpc.SecurityGroupIngressRuleState>({
    token,
    properties: {
      cidrIpv4: updates,
      cidrIpv6: updates,
      description: updates,
      fromPort: updates,
      ipProtocol: { ...required, ...protocol },
      prefixListId: updates,
      referencedSecurityGroupId: updates,
      securityGroupId: identifies,
      toPort: updates,
    },
    tagging: ec2Tagging,
    check: (inputs) =>
      [inputs.cidrIpv4, inputs.cidrIpv6, inputs.prefixListId, inputs.referencedSecurityGroupId].filter(
        (source) => source !== undefined,
      ).length === 1
        ? []
        : ["Exactly one of cidrIpv4, cidrIpv6, prefixListId and referencedSecurityGroupId has to be given"],
    async create({ aws }, inputs) {
      const ec2 = await aws.ec2();
      const request = {
        GroupId: inputs.securityGroupId,
        IpPermissions: [permission(fromOne(inputs), inputs.securityGroupId)],
        TagSpecifications: tagged("security-group-rule", inputs.tags),
      };
      const { SecurityGroupRules } =
        direction === "ingress"
          ? await ec2.authorizeSecurityGroupIngress(request)
          : await ec2.authorizeSecurityGroupEgress(request);
      return given(SecurityGroupRules?.[0]?.SecurityGroupRuleId, "the id of the rule");
    },
    async read(context, id) {
      const found = await ruleById(context, id);
      if (found === undefined) return undefined;
      return {
        arn: `arn:${context.partition}:ec2:${context.region}:${found.GroupOwnerId ?? (await context.account())}:security-group-rule/${id}`,
        cidrIpv4: filled(found.CidrIpv4),
        cidrIpv6: filled(found.CidrIpv6),
        description: filled(found.Description),
        fromPort: found.IpProtocol === "-1" ? undefined : found.FromPort,
        ipProtocol: found.IpProtocol,
        prefixListId: filled(found.PrefixListId),
        referencedSecurityGroupId: found.ReferencedGroupInfo?.GroupId,
        securityGroupId: found.GroupId,
        securityGroupRuleId: id,
        tags: fromTagList(found.Tags),
        toPort: found.IpProtocol === "-1" ? undefined : found.ToPort,
      };
    },
    async update({ aws }, id, news) {
      await (
        await aws.ec2()
      ).modifySecurityGroupRules({
        GroupId: news.securityGroupId,
        SecurityGroupRules: [
          {
            SecurityGroupRuleId: id,
            SecurityGroupRule: {
              CidrIpv4: news.cidrIpv4,
              CidrIpv6: news.cidrIpv6,
              Description: news.description,
              FromPort: news.fromPort ?? -1,
              IpProtocol: protocolName(news.ipProtocol),
              PrefixListId: news.prefixListId,
              ReferencedGroupId: news.referencedSecurityGroupId,
              ToPort: news.toPort ?? -1,
            },
          },
        ],
      });
    },
    async delete({ aws }, id, state) {
      const ec2 = await aws.ec2();
      const request = { GroupId: state.securityGroupId, SecurityGroupRuleIds: [id] };
      return direction === "ingress"
        ? ec2.revokeSecurityGroupIngress(request)
        : ec2.revokeSecurityGroupEgress(request);
    },
  });
}

/** A rule for traffic into a group. */
export const securityGroupIngressRule = oneRule(
  "ingress",
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
);
/** A rule for traffic out of a group. */
export const securityGroupEgressRule = oneRule(
  "egress",
  "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
);

/** The older form: one rule with any number of sources, found again by what it says. */
export const securityGroupRule = declare<aws.ec2.SecurityGroupRuleArgs, aws.ec2.SecurityGroupRuleState>({
  token: "aws:ec2/securityGroupRule:SecurityGroupRule",
  properties: {
    cidrBlocks: replaces,
    description: updates,
    fromPort: identifies,
    ipv6CidrBlocks: replaces,
    prefixListIds: replaces,
    protocol: { ...identifies, ...protocol },
    securityGroupId: identifies,
    self: { ...replaces, fallback: false },
    sourceSecurityGroupId: { ...replaces, computed: true },
    toPort: identifies,
    type: { ...identifies, oneOf: ["ingress", "egress"] },
  },
  async create(context, inputs) {
    await authorize(context, inputs.securityGroupId, direction(inputs.type), [
      permission(fromMany(inputs), inputs.securityGroupId),
    ]);
    return ruleId(inputs);
  },
  fromImport(given) {
    const [securityGroupId = "", type = "", ipProtocol = "", fromPort = "", toPort = "", ...sources] =
      given.split("_");
    const some = (accepts: (source: string) => boolean): string[] => sources.filter(accepts);
    const known = {
      cidrBlocks: some((source) => /^[\d.]+\//.test(source)),
      fromPort: Number(fromPort),
      ipv6CidrBlocks: some((source) => source.includes(":")),
      prefixListIds: some((source) => source.startsWith("pl-")),
      protocol: ipProtocol,
      securityGroupId,
      self: sources.includes("self"),
      sourceSecurityGroupId: some((source) => source.startsWith("sg-"))[0],
      toPort: Number(toPort),
      type,
    };
    return { id: ruleId(known), known };
  },
  async read({ aws }, _id, known) {
    const group = known.securityGroupId ?? "";
    const { SecurityGroups } = await (await aws.ec2()).describeSecurityGroups({ GroupIds: [group] });
    const found = SecurityGroups?.[0];
    const rules = rulesOf(
      direction(known.type) === "ingress" ? found?.IpPermissions : found?.IpPermissionsEgress,
      group,
    );
    const wanted = sources(fromMany(known));
    const having = rules.filter((rule) => sources(rule).some((source) => wanted.includes(source)));
    const all = having.flatMap(sources);
    if (wanted.length === 0 || !wanted.every((source) => all.includes(source))) return undefined;
    return {
      ...known,
      description: filled(having[0]?.description),
      protocol: having[0]?.protocol,
      self: known.self ?? false,
    };
  },
  async update({ aws }, _id, news) {
    const ec2 = await aws.ec2();
    const request = {
      GroupId: news.securityGroupId,
      IpPermissions: [permission(fromMany(news), news.securityGroupId)],
    };
    return direction(news.type) === "ingress"
      ? ec2.updateSecurityGroupRuleDescriptionsIngress(request)
      : ec2.updateSecurityGroupRuleDescriptionsEgress(request);
  },
  delete: async (context, _id, state) =>
    revoke(context, state.securityGroupId ?? "", direction(state.type), [
      permission(fromMany(state), state.securityGroupId ?? ""),
    ]),
});

async function ruleById({ aws }: AwsContext, id: string): Promise<Found | undefined> {
  return (await (await aws.ec2()).describeSecurityGroupRules({ SecurityGroupRuleIds: [id] }))
    .SecurityGroupRules?.[0];
}

function direction(type: string | undefined): Direction {
  return type === "egress" ? "egress" : "ingress";
}

/** An id out of what the rule says, because AWS keeps one rule for each source. */
function ruleId(inputs: Plain<aws.ec2.SecurityGroupRuleState>): string {
  const text = [
    inputs.securityGroupId ?? "",
    direction(inputs.type),
    ...sources(fromMany(inputs)).sort(),
  ].join(" ");
  return `sgrule-${crc32(text)}`;
}

/** The sources of a rule with its ports, without its description. */
function sources(rule: Rule): string[] {
  const atoms = atomicRules([{ ...rule, description: "" }]);
  return Array.isArray(atoms) ? atoms.map(String) : [];
}

function fromOne(inputs: OneArgs): Rule {
  return {
    cidrBlocks: list(inputs.cidrIpv4),
    description: inputs.description,
    fromPort: inputs.fromPort ?? -1,
    ipv6CidrBlocks: list(inputs.cidrIpv6),
    prefixListIds: list(inputs.prefixListId),
    protocol: inputs.ipProtocol,
    securityGroups: list(inputs.referencedSecurityGroupId),
    toPort: inputs.toPort ?? -1,
  };
}

function fromMany(inputs: Plain<aws.ec2.SecurityGroupRuleState>): Rule {
  return {
    cidrBlocks: inputs.cidrBlocks,
    description: inputs.description,
    fromPort: inputs.fromPort ?? 0,
    ipv6CidrBlocks: inputs.ipv6CidrBlocks,
    prefixListIds: inputs.prefixListIds,
    protocol: inputs.protocol ?? "-1",
    securityGroups: list(inputs.sourceSecurityGroupId),
    self: inputs.self,
    toPort: inputs.toPort ?? 0,
  };
}

function list(text: string | undefined): string[] {
  return text ? [text] : [];
}
