import {
  DescribeInternetGatewaysCommand,
  DescribeNatGatewaysCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcEndpointsCommand,
} from "@aws-sdk/client-ec2";
import type { Refusal } from "../answer";
import { text } from "../call";
import type { RefusalRule, RuleContext } from "../rule";
import { interfaces } from "./lookup";

/** A subnet that something has an interface in, and a VPC that holds anything, stay. */
export const networkDeletion: RefusalRule = {
  name: "network deletion",
  calls: ["ec2:DeleteSubnet", "ec2:DeleteVpc"],
  async check(call, context) {
    const subnetId = text(call, "SubnetId");
    if (subnetId !== undefined) {
      const inside = await interfaces(context, "subnet-id", subnetId);
      return inside.length > 0 ? violation("subnet", subnetId) : undefined;
    }
    const vpcId = text(call, "VpcId") ?? "";
    return (await contents(context, vpcId)) ? violation("vpc", vpcId) : undefined;
  },
};

async function contents({ aws, ...context }: RuleContext, vpcId: string): Promise<boolean> {
  const Filters = [{ Name: "vpc-id", Values: [vpcId] }];
  const subnets = await aws.ec2.send(new DescribeSubnetsCommand({ Filters }));
  if ((subnets.Subnets ?? []).length > 0) return true;
  if ((await interfaces({ aws, ...context }, "vpc-id", vpcId)).length > 0) return true;
  const groups = await aws.ec2.send(new DescribeSecurityGroupsCommand({ Filters }));
  if ((groups.SecurityGroups ?? []).some(({ GroupName }) => GroupName !== "default")) return true;
  const attached = [{ Name: "attachment.vpc-id", Values: [vpcId] }];
  const gateways = await aws.ec2.send(new DescribeInternetGatewaysCommand({ Filters: attached }));
  if ((gateways.InternetGateways ?? []).length > 0) return true;
  const endpoints = await aws.ec2.send(new DescribeVpcEndpointsCommand({ Filters }));
  if ((endpoints.VpcEndpoints ?? []).some(({ State }) => State?.toLowerCase() !== "deleted")) return true;
  const nat = await aws.ec2.send(new DescribeNatGatewaysCommand({ Filter: Filters }));
  return (nat.NatGateways ?? []).some(({ State }) => State !== "deleted");
}

function violation(kind: string, id: string): Refusal {
  return {
    code: "DependencyViolation",
    message: `The ${kind} '${id}' has dependencies and cannot be deleted.`,
  };
}
