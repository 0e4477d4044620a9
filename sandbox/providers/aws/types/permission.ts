import type { IpPermission } from "@aws-sdk/client-ec2";
import { filled } from "../core/answer";
import type { AwsContext } from "../core/context";
import { isRecord, isList } from "../core/value";

/** Rules of a security group as `ingress` and `egress` write them. */
export interface Rule {
  cidrBlocks?: string[] | undefined;
  description?: string | undefined;
  fromPort: number;
  ipv6CidrBlocks?: string[] | undefined;
  prefixListIds?: string[] | undefined;
  protocol: string;
  securityGroups?: string[] | undefined;
  self?: boolean | undefined;
  toPort: number;
}

/** Which way the traffic goes. */
export type Direction = "ingress" | "egress";

const NUMBERS: Readonly<Record<string, string>> = {
  all: "-1",
  "1": "icmp",
  "6": "tcp",
  "17": "udp",
  "58": "icmpv6",
};

/** The name that AWS uses for a protocol. */
export function protocolName(protocol: string): string {
  const lower = protocol.toLowerCase();
  return NUMBERS[lower] ?? lower;
}

/** A rule as AWS takes it. */
export function permission(rule: Rule, group: string): IpPermission {
  const IpProtocol = protocolName(rule.protocol);
  const ports = IpProtocol === "-1" ? {} : { FromPort: rule.fromPort, ToPort: rule.toPort };
  const Description = filled(rule.description);
  const groups = [...(rule.securityGroups ?? []), ...(rule.self === true ? [group] : [])];
  return {
    IpProtocol,
    ...ports,
    ...some("IpRanges", rule.cidrBlocks, (CidrIp) => ({ CidrIp, Description })),
    ...some("Ipv6Ranges", rule.ipv6CidrBlocks, (CidrIpv6) => ({ CidrIpv6, Description })),
    ...some("PrefixListIds", rule.prefixListIds, (PrefixListId) => ({ PrefixListId, Description })),
    ...some("UserIdGroupPairs", groups, (GroupId) => ({ GroupId, Description })),
  };
}

function some<T>(key: string, texts: string[] | undefined, form: (text: string) => T) {
  return (texts ?? []).length === 0 ? {} : { [key]: (texts ?? []).map(form) };
}

/** Rules out of what AWS says: one for all sources with the same ports and description. */
export function rulesOf(permissions: readonly IpPermission[] | undefined, group: string): Rule[] {
  return (permissions ?? []).flatMap((found) => {
    const sources = [
      ...(found.IpRanges ?? []).map((range) => ({
        key: "cidrBlocks" as const,
        value: range.CidrIp,
        text: range.Description,
      })),
      ...(found.Ipv6Ranges ?? []).map((range) => ({
        key: "ipv6CidrBlocks" as const,
        value: range.CidrIpv6,
        text: range.Description,
      })),
      ...(found.PrefixListIds ?? []).map((list) => ({
        key: "prefixListIds" as const,
        value: list.PrefixListId,
        text: list.Description,
      })),
      ...(found.UserIdGroupPairs ?? []).map((pair) => ({
        key: "securityGroups" as const,
        value: pair.GroupId,
        text: pair.Description,
      })),
    ];
    const descriptions = [...new Set(sources.map(({ text }) => text ?? ""))];
    return descriptions.map((description) => {
      const own = sources.filter(({ text }) => (text ?? "") === description);
      const values = (wanted: string): string[] =>
        own.flatMap(({ key, value }) => (key === wanted && value !== undefined ? [value] : [])).sort();
      const groups = values("securityGroups");
      return {
        cidrBlocks: values("cidrBlocks"),
        description,
        fromPort: found.FromPort ?? 0,
        ipv6CidrBlocks: values("ipv6CidrBlocks"),
        prefixListIds: values("prefixListIds"),
        protocol: found.IpProtocol ?? "-1",
        securityGroups: groups.filter((id) => id !== group),
        self: groups.includes(group),
        toPort: found.ToPort ?? 0,
      };
    });
  });
}

/** Rules with one source each: two ways to write the same rules come out the same. */
export function atomicRules(value: unknown): unknown {
  if (!isList(value)) return value;
  return value.filter(isRecord).flatMap((rule) => {
    const protocol = protocolName(String(rule.protocol));
    const ports = protocol === "-1" ? "" : `${String(rule.fromPort)}-${String(rule.toPort)}`;
    const sources = ["cidrBlocks", "ipv6CidrBlocks", "prefixListIds", "securityGroups"].flatMap((key) => {
      const list = rule[key];
      return isList(list) ? list.map(String) : [];
    });
    if (rule.self === true) sources.push("self");
    return sources.map((source) =>
      [protocol, ports, source, typeof rule.description === "string" ? rule.description : ""].join(" "),
    );
  });
}

/** Makes the rules of a group in one direction exactly these. */
export async function setRules(
  context: AwsContext,
  id: string,
  direction: Direction,
  rules: readonly Rule[],
): Promise<void> {
  const ec2 = await context.aws.ec2();
  const { SecurityGroups } = await ec2.describeSecurityGroups({ GroupIds: [id] });
  const group = SecurityGroups?.[0];
  const found = rulesOf(
    direction === "ingress" ? group?.IpPermissions : group?.IpPermissionsEgress,
    id,
  ).flatMap(single);
  const wanted = rules.flatMap(single);
  const key = (rule: Rule): string => JSON.stringify(atomicRules([rule]));
  const foundKeys = new Set(found.map(key));
  const wantedKeys = new Set(wanted.map(key));
  const extra = found.filter((rule) => !wantedKeys.has(key(rule))).map((rule) => permission(rule, id));
  const missing = wanted.filter((rule) => !foundKeys.has(key(rule))).map((rule) => permission(rule, id));
  if (extra.length > 0) await revoke(context, id, direction, extra);
  if (missing.length > 0) await authorize(context, id, direction, missing);
}

/** Takes rules away. */
export async function revoke(
  { aws }: AwsContext,
  GroupId: string,
  direction: Direction,
  IpPermissions: IpPermission[],
) {
  const ec2 = await aws.ec2();
  return direction === "ingress"
    ? ec2.revokeSecurityGroupIngress({ GroupId, IpPermissions })
    : ec2.revokeSecurityGroupEgress({ GroupId, IpPermissions });
}

/** Adds rules and gives their ids. */
export async function authorize(
  { aws }: AwsContext,
  GroupId: string,
  direction: Direction,
  IpPermissions: IpPermission[],
): Promise<string[]> {
  const ec2 = await aws.ec2();
  const { SecurityGroupRules } =
    direction === "ingress"
      ? await ec2.authorizeSecurityGroupIngress({ GroupId, IpPermissions })
      : await ec2.authorizeSecurityGroupEgress({ GroupId, IpPermissions });
  return (SecurityGroupRules ?? []).flatMap(({ SecurityGroupRuleId }) =>
    SecurityGroupRuleId === undefined ? [] : [SecurityGroupRuleId],
  );
}

function single(rule: Rule): Rule[] {
  const { cidrBlocks, ipv6CidrBlocks, prefixListIds, securityGroups, self, ...rest } = rule;
  return [
    ...(cidrBlocks ?? []).map((one) => ({ ...rest, cidrBlocks: [one] })),
    ...(ipv6CidrBlocks ?? []).map((one) => ({ ...rest, ipv6CidrBlocks: [one] })),
    ...(prefixListIds ?? []).map((one) => ({ ...rest, prefixListIds: [one] })),
    ...(securityGroups ?? []).map((one) => ({ ...rest, securityGroups: [one] })),
    ...(self === true ? [{ ...rest, self }] : []),
  ];
}
