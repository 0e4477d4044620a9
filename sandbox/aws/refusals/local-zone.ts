import { DescribeAvailabilityZonesCommand, type AvailabilityZone } from "@aws-sdk/client-ec2";
import type { Refusal } from "../answer";
import { fields, list, text, type Call } from "../call";
import { listAt } from "../../../lib/json";
import type { RefusalRule } from "../rule";
import { subnet } from "./lookup";

/** Machines of these families can be had in Local Zones. */
const LOCAL_FAMILIES = ["c5", "c6i", "g4dn", "m5", "m6i", "r5", "r6i", "t3"];

/**
 * What a Local Zone lacks: NAT gateways, network load balancers, EKS's control planes and most types of machines. One that
 * the account did not opt in to takes no subnet.
 */
export const localZone: RefusalRule = {
  name: "local zone",
  calls: [
    "ec2:CreateSubnet",
    "ec2:CreateVolume",
    "ec2:CreateNatGateway",
    "ec2:RunInstances",
    "elasticloadbalancing:CreateLoadBalancer",
    "elasticloadbalancing:SetSubnets",
    "eks:CreateCluster",
  ],
  async check(call, context) {
    const answer = await context.aws.ec2.send(
      new DescribeAvailabilityZonesCommand({ AllAvailabilityZones: true }),
    );
    const zones = answer.AvailabilityZones ?? [];
    const unusable = unusableZone(call, zones);
    if (unusable !== undefined || zones.every(({ ZoneType }) => ZoneType === "availability-zone"))
      return unusable;
    for (const subnetId of subnetsOf(call)) {
      const zone = (await subnet(context, subnetId))?.AvailabilityZone;
      if (!isLocal(zones, zone)) continue;
      const refusal = lacking(call, subnetId, zone ?? "");
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  },
};

function isLocal(zones: readonly AvailabilityZone[], name: string | undefined): boolean {
  return zones.some(({ ZoneName, ZoneType }) => ZoneName === name && ZoneType !== "availability-zone");
}

// Only what is made in a zone names one: everything else is where its subnet is.
function unusableZone(call: Call, zones: readonly AvailabilityZone[]): Refusal | undefined {
  const usable = zones.filter(({ OptInStatus }) => OptInStatus !== "not-opted-in");
  const [name, id] = [text(call, "AvailabilityZone"), text(call, "AvailabilityZoneId")];
  if (name === undefined && id === undefined) return undefined;
  if (usable.some(({ ZoneName, ZoneId }) => ZoneName === name || ZoneId === id)) return undefined;
  if (call.action === "CreateVolume")
    return { code: "InvalidZone.NotFound", message: `The zone '${name ?? id ?? ""}' does not exist.` };
  const names = usable.map(({ ZoneName }) => ZoneName).join(", ");
  return {
    code: "InvalidParameterValue",
    message: `Value (${name ?? id ?? ""}) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ${names}.`,
  };
}

function subnetsOf(call: Call): string[] {
  if (call.service === "eks")
    return listAt(call.parameters, "resourcesVpcConfig", "subnetIds").filter((id) => typeof id === "string");
  const plain = text(call, "SubnetId");
  return [
    ...(plain === undefined ? [] : [plain]),
    ...fields(call, "NetworkInterface", "SubnetId"),
    ...list(call, "Subnets"),
    ...fields(call, "SubnetMappings", "SubnetId"),
  ];
}

function lacking(call: Call, subnetId: string, zone: string): Refusal | undefined {
  switch (call.action) {
    case "CreateNatGateway":
      return {
        code: "NotAvailableInZone",
        message: `Nat Gateway is not available in this availability zone (${zone})`,
      };
    case "CreateCluster":
      return {
        code: "UnsupportedAvailabilityZoneException",
        message: `Cannot create cluster because ${zone}, the targeted Availability Zone of subnet ${subnetId}, is a Local Zone, which does not support an EKS control plane.`,
      };
    case "RunInstances": {
      const type = text(call, "InstanceType");
      return type === undefined || LOCAL_FAMILIES.includes(type.split(".")[0] ?? "")
        ? undefined
        : {
            code: "Unsupported",
            message: `Your requested instance type (${type}) is not supported in your requested Availability Zone (${zone}). Please retry your request by choosing another one.`,
          };
    }
    default:
      return text(call, "Type") === "network" || text(call, "LoadBalancerArn")?.includes("/net/") === true
        ? {
            code: "ValidationError",
            message: `Load balancers of type 'network' are not supported in the Local Zone '${zone}' of subnet '${subnetId}'`,
          }
        : undefined;
  }
}
