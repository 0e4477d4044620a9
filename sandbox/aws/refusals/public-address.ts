import { DescribeAddressesCommand, DescribeNatGatewaysCommand, type Address } from "@aws-sdk/client-ec2";
import { text } from "../call";
import type { RefusalRule, RuleContext } from "../rule";
import { interfaces } from "./lookup";

/** A NAT gateway that is one of these has let go of its address. */
const GONE = ["failed", "deleted"];

/** A public address in use is not released, nor the gateway taken away that it is reached by. */
export const publicAddress: RefusalRule = {
  name: "public address",
  calls: ["ec2:ReleaseAddress", "ec2:DetachInternetGateway", "ec2:CreateNatGateway"],
  async check(call, context) {
    if (call.action === "DetachInternetGateway") return mapped(context, text(call, "VpcId") ?? "");
    const allocation = text(call, "AllocationId");
    if (allocation === undefined) return undefined;
    const addresses = await context.aws.ec2.send(new DescribeAddressesCommand({}));
    const address = (addresses.Addresses ?? []).find(({ AllocationId }) => AllocationId === allocation);
    if (address === undefined || !(await isUsed(context, address))) return undefined;
    return call.action === "CreateNatGateway"
      ? {
          code: "Resource.AlreadyAssociated",
          message: `Elastic IP address [${allocation}] is already associated`,
        }
      : { code: "InvalidIPAddress.InUse", message: `Address ${address.PublicIp ?? allocation} is in use.` };
  },
};

async function isUsed({ aws }: RuleContext, address: Address): Promise<boolean> {
  if (address.AssociationId !== undefined && address.AssociationId !== "") return true;
  const nat = await aws.ec2.send(new DescribeNatGatewaysCommand({}));
  return (nat.NatGateways ?? [])
    .filter(({ State }) => !GONE.includes(State ?? ""))
    .some(({ NatGatewayAddresses }) =>
      NatGatewayAddresses?.some(({ AllocationId }) => AllocationId === address.AllocationId),
    );
}

async function mapped(
  context: RuleContext,
  vpcId: string,
): Promise<Awaited<ReturnType<RefusalRule["check"]>>> {
  const inside = await interfaces(context, "vpc-id", vpcId);
  const open = inside.some(({ Association }) => Association?.PublicIp !== undefined);
  const filter = [{ Name: "vpc-id", Values: [vpcId] }];
  const nat = await context.aws.ec2.send(new DescribeNatGatewaysCommand({ Filter: filter }));
  const gateways = (nat.NatGateways ?? []).filter(({ State }) => !GONE.includes(State ?? ""));
  if (!open && gateways.length === 0) return undefined;
  return {
    code: "DependencyViolation",
    message: `Network ${vpcId} has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.`,
  };
}
