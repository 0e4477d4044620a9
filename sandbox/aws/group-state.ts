import {
  DescribeSecurityGroupsCommand,
  GetManagedPrefixListEntriesCommand,
  type IpPermission,
  type NetworkInterface,
} from "@aws-sdk/client-ec2";
import type { Clients } from "./clients";

/** What a security group lets in or out: references to prefix lists are resolved, those to groups are not. */
export interface GroupRuleState {
  /** `all`, `tcp`, `udp`, `icmp`, or a number. */
  protocol: string;
  first?: number;
  last?: number;
  cidrs: string[];
  groups: string[];
}

/** Security groups, and which interfaces have them. */
export interface SecurityGroupsState {
  groups: Record<string, { ingress: GroupRuleState[]; egress: GroupRuleState[] }>;
  interfaces: { addresses: string[]; groups: string[]; isPublic: boolean }[];
}

const PROTOCOLS: Readonly<Record<string, string>> = { "-1": "all", "1": "icmp", "6": "tcp", "17": "udp" };

/** Reads the security groups. */
export async function securityGroupsOf(
  aws: Clients,
  interfaces: readonly NetworkInterface[],
): Promise<SecurityGroupsState> {
  const { SecurityGroups = [] } = await aws.ec2.send(new DescribeSecurityGroupsCommand({}));
  const lists = new Map<string, string[]>();
  const rules = async (permissions: readonly IpPermission[] | undefined): Promise<GroupRuleState[]> =>
    Promise.all((permissions ?? []).map((permission) => ruleOf(aws, permission, lists)));
  const groups = SecurityGroups.map(async ({ GroupId, IpPermissions, IpPermissionsEgress }) => {
    const [ingress, egress] = [await rules(IpPermissions), await rules(IpPermissionsEgress)];
    return [GroupId ?? "", { ingress, egress }] as const;
  });
  return {
    groups: Object.fromEntries(await Promise.all(groups)),
    interfaces: interfaces.flatMap((found) => interfaceOf(found) ?? []),
  };
}

async function ruleOf(
  aws: Clients,
  { IpProtocol = "", FromPort, ToPort, IpRanges, UserIdGroupPairs, PrefixListIds }: IpPermission,
  known: Map<string, string[]>,
): Promise<GroupRuleState> {
  const lists = (PrefixListIds ?? []).map(({ PrefixListId }) => rangesOf(aws, PrefixListId ?? "", known));
  return {
    protocol: PROTOCOLS[IpProtocol] ?? IpProtocol,
    ...(FromPort === undefined || FromPort < 0 ? {} : { first: FromPort }),
    ...(ToPort === undefined || ToPort < 0 ? {} : { last: ToPort }),
    cidrs: [...(IpRanges ?? []).flatMap(({ CidrIp }) => CidrIp ?? []), ...(await Promise.all(lists)).flat()],
    groups: (UserIdGroupPairs ?? []).flatMap(({ GroupId }) => GroupId ?? []),
  };
}

async function rangesOf(aws: Clients, id: string, known: Map<string, string[]>): Promise<string[]> {
  const before = known.get(id);
  if (before !== undefined) return before;
  const answer = await aws.ec2
    .send(new GetManagedPrefixListEntriesCommand({ PrefixListId: id }))
    .catch(() => undefined);
  const ranges = (answer?.Entries ?? []).flatMap(({ Cidr }) =>
    Cidr === undefined || Cidr.includes(":") ? [] : Cidr,
  );
  known.set(id, ranges);
  return ranges;
}

// The primary address first: a machine's link is made for that one.
function interfaceOf({
  PrivateIpAddress,
  PrivateIpAddresses,
  Groups,
  Association,
}: NetworkInterface): SecurityGroupsState["interfaces"][number] | undefined {
  const groups = (Groups ?? []).flatMap(({ GroupId }) => GroupId ?? []);
  const more = (PrivateIpAddresses ?? []).flatMap(({ PrivateIpAddress: ip }) => ip ?? []);
  const addresses = [...new Set([...(PrivateIpAddress === undefined ? [] : [PrivateIpAddress]), ...more])];
  const isPublic = Association?.PublicIp !== undefined;
  return groups.length === 0 || addresses.length === 0 ? undefined : { addresses, groups, isPublic };
}
