// Route tables, routes and their associations.
import { crc32 } from "node:zlib";
import type { Route as FoundRoute, RouteTable as FoundTable } from "@aws-sdk/client-ec2";
import type * as aws from "@pulumi/aws";
import { filled, given } from "../core/answer";
import type { AwsContext } from "../core/context";
import type { Plain } from "../core/declaration";
import { declare } from "../core/declaration";
import { chosen, identifies, replaces, updates } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";

type RouteArgs = Plain<aws.ec2.RouteArgs>;
type InlineRoute = Omit<RouteArgs, "routeTableId" | "destinationCidrBlock" | "destinationIpv6CidrBlock"> & {
  cidrBlock?: string | undefined;
  ipv6CidrBlock?: string | undefined;
};

/** A table of routes, with routes of its own if the program writes them here. */
export const routeTable = declare<aws.ec2.RouteTableArgs, aws.ec2.RouteTableState>({
  token: "aws:ec2/routeTable:RouteTable",
  properties: { routes: { ...chosen, set: true }, vpcId: identifies },
  tagging: ec2Tagging,
  async create(context, inputs) {
    const ec2 = await context.aws.ec2();
    const { RouteTable } = await ec2.createRouteTable({
      VpcId: inputs.vpcId,
      TagSpecifications: tagged("route-table", inputs.tags),
      ClientToken: context.token,
    });
    const id = context.started(given(RouteTable?.RouteTableId, "the id of the route table"));
    for (const route of inputs.routes ?? []) await ec2.createRoute(wanted(id, outlined(route)));
    return id;
  },
  async read(context, id) {
    const found = await tableOf(context, id);
    if (found === undefined) return undefined;
    return {
      arn: `arn:${context.partition}:ec2:${context.region}:${found.OwnerId ?? ""}:route-table/${id}`,
      ownerId: found.OwnerId,
      propagatingVgws: [],
      routes: (found.Routes ?? []).filter(({ Origin }) => Origin === "CreateRoute").map(inlined),
      tags: fromTagList(found.Tags),
      vpcId: found.VpcId,
    };
  },
  async update({ aws }, id, news, { olds, has }) {
    if (!has("routes")) return;
    const ec2 = await aws.ec2();
    for (const route of olds.routes ?? []) {
      await ec2.deleteRoute({
        RouteTableId: id,
        DestinationCidrBlock: filled(route.cidrBlock),
        DestinationIpv6CidrBlock: filled(route.ipv6CidrBlock),
      });
    }
    for (const route of news.routes ?? []) await ec2.createRoute(wanted(id, outlined(route)));
  },
  async delete(context, id) {
    const ec2 = await context.aws.ec2();
    for (const { RouteTableAssociationId, Main } of (await tableOf(context, id))?.Associations ?? []) {
      if (Main !== true) await ec2.disassociateRouteTable({ AssociationId: RouteTableAssociationId });
    }
    await ec2.deleteRouteTable({ RouteTableId: id });
  },
});

/** One route of a table. */
export const route = declare<aws.ec2.RouteArgs, aws.ec2.RouteState>({
  token: "aws:ec2/route:Route",
  properties: {
    destinationCidrBlock: replaces,
    destinationIpv6CidrBlock: replaces,
    destinationPrefixListId: replaces,
    egressOnlyGatewayId: updates,
    gatewayId: updates,
    natGatewayId: updates,
    networkInterfaceId: chosen,
    routeTableId: identifies,
    transitGatewayId: updates,
    vpcEndpointId: updates,
    vpcPeeringConnectionId: updates,
  },
  check: (inputs) =>
    destinationOf(inputs) === ""
      ? ["A route needs destinationCidrBlock, destinationIpv6CidrBlock or destinationPrefixListId"]
      : [],
  async create({ aws }, inputs) {
    await (await aws.ec2()).createRoute(wanted(inputs.routeTableId, inputs));
    return `r-${inputs.routeTableId}${crc32(destinationOf(inputs))}`;
  },
  fromImport(given) {
    const [routeTableId = "", destination = ""] = given.split("_");
    const key = destination.startsWith("pl-")
      ? "destinationPrefixListId"
      : destination.includes(":")
        ? "destinationIpv6CidrBlock"
        : "destinationCidrBlock";
    return { id: `r-${routeTableId}${crc32(destination)}`, known: { routeTableId, [key]: destination } };
  },
  async read(context, _id, known) {
    const table = await tableOf(context, known.routeTableId ?? "");
    const found = table?.Routes?.find((candidate) => foundDestination(candidate) === destinationOf(known));
    if (found === undefined) return undefined;
    const { cidrBlock, ipv6CidrBlock, ...targets } = inlined(found);
    return {
      ...targets,
      destinationCidrBlock: cidrBlock,
      destinationIpv6CidrBlock: ipv6CidrBlock,
      instanceId: found.InstanceId ?? "",
      instanceOwnerId: found.InstanceOwnerId ?? "",
      origin: found.Origin,
      routeTableId: known.routeTableId,
      state: found.State,
    };
  },
  update: async ({ aws }, _id, news) => (await aws.ec2()).replaceRoute(wanted(news.routeTableId, news)),
  delete: async ({ aws }, _id, state) =>
    (await aws.ec2()).deleteRoute({
      RouteTableId: state.routeTableId,
      DestinationCidrBlock: filled(state.destinationCidrBlock),
      DestinationIpv6CidrBlock: filled(state.destinationIpv6CidrBlock),
      DestinationPrefixListId: filled(state.destinationPrefixListId),
    }),
});

/** That a subnet uses a table. */
export const routeTableAssociation = declare<
  aws.ec2.RouteTableAssociationArgs,
  aws.ec2.RouteTableAssociationState
>({
  token: "aws:ec2/routeTableAssociation:RouteTableAssociation",
  properties: { gatewayId: replaces, routeTableId: { required: true }, subnetId: replaces },
  async create({ aws }, inputs) {
    const { AssociationId } = await (
      await aws.ec2()
    ).associateRouteTable({
      RouteTableId: inputs.routeTableId,
      SubnetId: inputs.subnetId,
      GatewayId: inputs.gatewayId,
    });
    return given(AssociationId, "the id of the association");
  },
  async read({ aws }, id) {
    const { RouteTables } = await (
      await aws.ec2()
    ).describeRouteTables({
      Filters: [{ Name: "association.route-table-association-id", Values: [id] }],
    });
    const found = RouteTables?.[0]?.Associations?.find(
      ({ RouteTableAssociationId }) => RouteTableAssociationId === id,
    );
    if (found === undefined) return undefined;
    return { gatewayId: found.GatewayId ?? "", routeTableId: found.RouteTableId, subnetId: found.SubnetId };
  },
  // AWS gives a moved association another id, which the engine cannot take: so it is moved by way of nothing.
  replacesFor: () => ["routeTableId"],
  deleteBeforeReplace: true,
  delete: async ({ aws }, id) => (await aws.ec2()).disassociateRouteTable({ AssociationId: id }),
});

async function tableOf({ aws }: AwsContext, id: string): Promise<FoundTable | undefined> {
  if (id === "") return undefined;
  return (await (await aws.ec2()).describeRouteTables({ RouteTableIds: [id] })).RouteTables?.[0];
}

function destinationOf(route: {
  destinationCidrBlock?: string | undefined;
  destinationIpv6CidrBlock?: string | undefined;
  destinationPrefixListId?: string | undefined;
}): string {
  return (
    filled(route.destinationCidrBlock) ??
    filled(route.destinationIpv6CidrBlock) ??
    filled(route.destinationPrefixListId) ??
    ""
  );
}

function foundDestination(found: FoundRoute): string {
  return found.DestinationCidrBlock ?? found.DestinationIpv6CidrBlock ?? found.DestinationPrefixListId ?? "";
}

function wanted(table: string, inputs: Omit<RouteArgs, "routeTableId">) {
  return {
    RouteTableId: table,
    DestinationCidrBlock: filled(inputs.destinationCidrBlock),
    DestinationIpv6CidrBlock: filled(inputs.destinationIpv6CidrBlock),
    DestinationPrefixListId: filled(inputs.destinationPrefixListId),
    EgressOnlyInternetGatewayId: filled(inputs.egressOnlyGatewayId),
    GatewayId: filled(inputs.gatewayId),
    NatGatewayId: filled(inputs.natGatewayId),
    NetworkInterfaceId: filled(inputs.networkInterfaceId),
    TransitGatewayId: filled(inputs.transitGatewayId),
    VpcEndpointId: filled(inputs.vpcEndpointId),
    VpcPeeringConnectionId: filled(inputs.vpcPeeringConnectionId),
  };
}

/** A route as a table writes it, with the names that a route of its own has. */
function outlined(inline: InlineRoute): Omit<RouteArgs, "routeTableId"> {
  const { cidrBlock, ipv6CidrBlock, ...targets } = inline;
  return { ...targets, destinationCidrBlock: cidrBlock, destinationIpv6CidrBlock: ipv6CidrBlock };
}

function inlined(found: FoundRoute) {
  return {
    cidrBlock: found.DestinationCidrBlock ?? "",
    destinationPrefixListId: found.DestinationPrefixListId ?? "",
    egressOnlyGatewayId: found.EgressOnlyInternetGatewayId ?? "",
    gatewayId: found.GatewayId ?? "",
    ipv6CidrBlock: found.DestinationIpv6CidrBlock ?? "",
    natGatewayId: found.NatGatewayId ?? "",
    networkInterfaceId: found.NetworkInterfaceId ?? "",
    transitGatewayId: found.TransitGatewayId ?? "",
    vpcPeeringConnectionId: found.VpcPeeringConnectionId ?? "",
  };
}
