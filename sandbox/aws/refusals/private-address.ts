import { BlockList, isIPv4 } from "node:net";
import type { Refusal } from "../answer";
import { fields, text, type Call } from "../call";
import type { RefusalRule } from "../rule";
import { interfaces, subnet } from "./lookup";

/** A private address that is asked for lies in its subnet and is free. */
export const privateAddress: RefusalRule = {
  name: "private address",
  calls: ["ec2:CreateNetworkInterface", "ec2:RunInstances", "elasticloadbalancing:CreateLoadBalancer"],
  async check(call, context) {
    for (const { subnetId, address } of wanted(call)) {
      const found = await subnet(context, subnetId);
      if (found?.CidrBlock === undefined) continue;
      const taken = (await interfaces(context, "subnet-id", subnetId)).flatMap(({ PrivateIpAddresses }) =>
        (PrivateIpAddresses ?? []).flatMap(({ PrivateIpAddress }) => PrivateIpAddress ?? []),
      );
      const refusal = addressRefusal(address, found.CidrBlock, taken);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  },
};

/** Decides whether an address of a subnet can be given away. */
export function addressRefusal(
  address: string,
  range: string,
  taken: readonly string[],
): Refusal | undefined {
  if (!lies(address, range)) {
    return {
      code: "InvalidParameterValue",
      message: `Address ${address} does not fall within the subnet's address range`,
    };
  }
  return taken.includes(address)
    ? { code: "InvalidIPAddress.InUse", message: `Address ${address} is in use.` }
    : undefined;
}

function lies(address: string, range: string): boolean {
  const [network = "", length = ""] = range.split("/");
  if (!isIPv4(address) || !isIPv4(network)) return false;
  const block = new BlockList();
  block.addSubnet(network, Number(length));
  return block.check(address);
}

function wanted(call: Call): { subnetId: string; address: string }[] {
  const pairs = (subnets: string[], addresses: string[]): { subnetId: string; address: string }[] =>
    addresses.flatMap((address, index) => {
      const subnetId = subnets[index] ?? subnets[0];
      return subnetId === undefined ? [] : [{ subnetId, address }];
    });
  const subnetId = text(call, "SubnetId");
  const plain = text(call, "PrivateIpAddress");
  return [
    ...pairs(subnetId === undefined ? [] : [subnetId], plain === undefined ? [] : [plain]),
    ...pairs(
      subnetId === undefined ? [] : [subnetId],
      fields(call, "PrivateIpAddresses", "PrivateIpAddress"),
    ),
    ...pairs(
      fields(call, "NetworkInterface", "SubnetId"),
      fields(call, "NetworkInterface", "PrivateIpAddress"),
    ),
    ...mappings(call),
  ];
}

// A load balancer may fix its address in some of its subnets and not in others.
function mappings(call: Call): { subnetId: string; address: string }[] {
  return Object.entries(call.parameters).flatMap(([key, address]) => {
    const prefix = /^(SubnetMappings\.member\.\d+)\.PrivateIPv4Address$/.exec(key)?.[1];
    const subnetId = prefix === undefined ? undefined : text(call, `${prefix}.SubnetId`);
    return subnetId === undefined || typeof address !== "string" ? [] : [{ subnetId, address }];
  });
}
