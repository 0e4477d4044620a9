import {
  DescribeNatGatewaysCommand,
  DescribeRouteTablesCommand,
  type RouteTable,
  type Subnet,
} from "@aws-sdk/client-ec2";
import type { Clients } from "./clients";

/** What route tables and gateways come to: who gets out, as whom, and who can be reached. */
export interface RoutingState {
  nat: { subnetCidr: string; publicIp: string }[];
  publicAddresses: { publicIp: string; privateIp: string }[];
}

/** Reads route tables and NAT gateways; `interfaces` are those that may have a public address. */
export async function routingOf(
  aws: Clients,
  interfaces: readonly { subnetId: string; privateIp: string; publicIp?: string }[],
  subnets: ReadonlyMap<string, Subnet>,
): Promise<RoutingState> {
  const [tables, gateways] = await Promise.all([
    aws.ec2.send(new DescribeRouteTablesCommand({})),
    aws.ec2.send(new DescribeNatGatewaysCommand({})),
  ]);
  const all = tables.RouteTables ?? [];
  const wayOut = (subnetId: string): { internet: boolean; nat?: string } =>
    defaultRoute(all, subnetId, subnets.get(subnetId)?.VpcId);
  // A NAT gateway works in a subnet that gets out by itself.
  const working = new Map(
    (gateways.NatGateways ?? []).flatMap((gateway): [string, string][] => {
      const publicIp = gateway.NatGatewayAddresses?.[0]?.PublicIp;
      const works = gateway.State === "available" && wayOut(gateway.SubnetId ?? "").internet;
      return works && publicIp !== undefined ? [[gateway.NatGatewayId ?? "", publicIp]] : [];
    }),
  );
  return {
    nat: [...subnets].flatMap(([id, { CidrBlock }]) => {
      const publicIp = working.get(wayOut(id).nat ?? "");
      return publicIp === undefined || CidrBlock === undefined ? [] : [{ subnetCidr: CidrBlock, publicIp }];
    }),
    publicAddresses: interfaces.flatMap(({ subnetId, privateIp, publicIp }) =>
      publicIp === undefined || !wayOut(subnetId).internet ? [] : [{ publicIp, privateIp }],
    ),
  };
}

/** Where the default route of a subnet leads: by the table that it is associated with, or else the VPC's main one. */
function defaultRoute(
  tables: readonly RouteTable[],
  subnetId: string,
  vpcId: string | undefined,
): { internet: boolean; nat?: string } {
  const own = tables.find(({ Associations }) => Associations?.some((one) => one.SubnetId === subnetId));
  const main = tables.find(
    ({ VpcId, Associations }) => VpcId === vpcId && Associations?.some(({ Main }) => Main === true),
  );
  const route = (own ?? main)?.Routes?.find(
    ({ DestinationCidrBlock }) => DestinationCidrBlock === "0.0.0.0/0",
  );
  const isActive = route !== undefined && route.State !== "blackhole";
  return {
    internet: isActive && route.GatewayId?.startsWith("igw-") === true,
    ...(isActive && route.NatGatewayId !== undefined ? { nat: route.NatGatewayId } : {}),
  };
}
