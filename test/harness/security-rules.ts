// The rules of security groups as they are in the AWS API, one by one: named, taken away and given back.
import {
  AuthorizeSecurityGroupEgressCommand,
  AuthorizeSecurityGroupIngressCommand,
  DescribeSecurityGroupRulesCommand,
  DescribeSecurityGroupsCommand,
  RevokeSecurityGroupEgressCommand,
  RevokeSecurityGroupIngressCommand,
  type IpPermission,
  type SecurityGroupRule,
} from "@aws-sdk/client-ec2";
import type { Clients } from "../../sandbox/aws/clients";

/** A rule of a cluster's security groups. */
export interface SecurityRule {
  /** Such as `servers: tcp 9345 from agents` or `agents: all to 0.0.0.0/0`. */
  readonly name: string;
  /** Takes it away. */
  readonly close: () => Promise<void>;
  /** Gives it back. */
  readonly open: () => Promise<void>;
}

/** All rules of the groups whose names begin with a cluster's; they are named by what comes after. */
export async function securityRules({ ec2 }: Clients, cluster: string): Promise<SecurityRule[]> {
  const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand({}));
  const names = new Map(
    SecurityGroups.flatMap(({ GroupId = "", Tags = [] }): [string, string][] => {
      const name = Tags.find(({ Key }) => Key === "Name")?.Value ?? "";
      return name.startsWith(`${cluster}-`) ? [[GroupId, name.slice(cluster.length + 1)]] : [];
    }),
  );
  const { SecurityGroupRules = [] } = await ec2.send(new DescribeSecurityGroupRulesCommand({}));
  return SecurityGroupRules.filter(({ GroupId }) => names.has(GroupId ?? "")).map((rule) => {
    const what = { GroupId: rule.GroupId, IpPermissions: [permissionOf(rule)] };
    return {
      name: nameOf(rule, names),
      close: async () => {
        if (rule.IsEgress === true) await ec2.send(new RevokeSecurityGroupEgressCommand(what));
        else await ec2.send(new RevokeSecurityGroupIngressCommand(what));
      },
      open: async () => {
        if (rule.IsEgress === true) await ec2.send(new AuthorizeSecurityGroupEgressCommand(what));
        else await ec2.send(new AuthorizeSecurityGroupIngressCommand(what));
      },
    };
  });
}

function nameOf(rule: SecurityGroupRule, names: ReadonlyMap<string, string>): string {
  const { FromPort, ToPort, IpProtocol = "", CidrIpv4, ReferencedGroupInfo, GroupId = "", IsEgress } = rule;
  const ports = FromPort === ToPort ? String(FromPort) : `${String(FromPort)}-${String(ToPort)}`;
  const what = IpProtocol === "-1" ? "all" : `${IpProtocol} ${ports}`;
  const other = CidrIpv4 ?? names.get(ReferencedGroupInfo?.GroupId ?? "") ?? "nobody";
  return `${names.get(GroupId) ?? GroupId}: ${what} ${IsEgress === true ? "to" : "from"} ${other}`;
}

function permissionOf(rule: SecurityGroupRule): IpPermission {
  const { FromPort, ToPort, IpProtocol, CidrIpv4, ReferencedGroupInfo, Description } = rule;
  const described = Description === undefined ? {} : { Description };
  return {
    IpProtocol,
    ...(FromPort === undefined || FromPort < 0 ? {} : { FromPort, ToPort }),
    ...(CidrIpv4 === undefined ? {} : { IpRanges: [{ CidrIp: CidrIpv4, ...described }] }),
    ...(ReferencedGroupInfo?.GroupId === undefined
      ? {}
      : { UserIdGroupPairs: [{ GroupId: ReferencedGroupInfo.GroupId, ...described }] }),
  };
}
