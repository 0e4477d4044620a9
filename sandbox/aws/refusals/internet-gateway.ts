import { DescribeInternetGatewaysCommand } from "@aws-sdk/client-ec2";
import { list, text } from "../call";
import type { RefusalRule } from "../rule";
import { instance, interfaces, subnet } from "./lookup";

/** A network without an internet gateway has no public addresses: neither of instances nor of load balancers. */
export const internetGateway: RefusalRule = {
  name: "internet gateway",
  calls: ["ec2:AssociateAddress", "elasticloadbalancing:CreateLoadBalancer"],
  async check(call, context) {
    if (call.action === "CreateLoadBalancer" && text(call, "Scheme") === "internal") return undefined;
    const [named = text(call, "SubnetMappings.member.1.SubnetId") ?? ""] = list(call, "Subnets");
    const nic = text(call, "NetworkInterfaceId");
    const found =
      call.action === "CreateLoadBalancer"
        ? await subnet(context, named)
        : nic === undefined
          ? await instance(context, text(call, "InstanceId") ?? "")
          : (await interfaces(context, "network-interface-id", nic))[0];
    const vpcId = found?.VpcId;
    if (vpcId === undefined) return undefined;
    const { InternetGateways } = await context.aws.ec2.send(new DescribeInternetGatewaysCommand({}));
    if (InternetGateways?.some(({ Attachments }) => Attachments?.some((one) => one.VpcId === vpcId)))
      return undefined;
    return call.action === "CreateLoadBalancer"
      ? { code: "InvalidSubnet", message: `VPC ${vpcId} has no internet gateway` }
      : {
          code: "Gateway.NotAttached",
          message: `Network ${vpcId} is not attached to any internet gateway`,
        };
  },
};
