import { defineStackPolicy } from "../../core/policy";
import type { Resource, Stack } from "../../core/resource";
import { AUTO_SCALING_GROUP, INSTANCE, NODE_GROUP, SUBNET } from "../shared/resource-types";

const INTERFACE = "aws:ec2/networkInterface:NetworkInterface";
const GATEWAY = "aws:ec2/internetGateway:InternetGateway";
const ROUTE = "aws:ec2/route:Route";
const ROUTE_TABLE = "aws:ec2/routeTable:RouteTable";
const ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation";

export const nodesInPrivateSubnets = defineStackPolicy({
  name: "aws-ec2-nodes-in-private-subnets",
  description: "Instances and node groups are in private subnets.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-E 5.4.3"],
  rules: [27],
  remediationSteps:
    "Use subnets without a route to an internet gateway; a NAT gateway provides outbound access.",
  types: [INSTANCE, NODE_GROUP, AUTO_SCALING_GROUP],
  alsoReads: [INTERFACE, GATEWAY, ROUTE, ROUTE_TABLE, ASSOCIATION],
  check({ stack, reportViolation, reportUnknown }) {
    const exposed = publicSubnets(stack);
    for (const node of stack.of(INSTANCE, NODE_GROUP, AUTO_SCALING_GROUP)) {
      const subnets = subnetsOf(stack, node);
      if (subnets.length === 0)
        reportUnknown(
          node,
          "its subnet",
          "is not part of this stack",
          "Check the routes of the subnet yourself.",
        );
      for (const subnet of subnets) {
        if (exposed.has(subnet.urn))
          reportViolation(node, "subnets", `the public subnet "${subnet.name}"`, "Use a private subnet.");
      }
    }
  },
});

/**
 * The subnets whose route table leads to an internet gateway. Found by what was made from what, which is known before any
 * of it has an id.
 */
function publicSubnets(stack: Stack): Set<string> {
  const isGateway = ({ type }: Resource): boolean => type === GATEWAY;
  const out = new Set<string>();
  for (const route of stack.of(ROUTE)) {
    if (stack.behind(route, "gatewayId").some(isGateway))
      stack.behind(route, "routeTableId").forEach(({ urn }) => out.add(urn));
  }
  for (const table of stack.of(ROUTE_TABLE)) {
    if (stack.behind(table, "routes").some(isGateway)) out.add(table.urn);
  }
  const subnets = stack
    .of(ASSOCIATION)
    .filter((one) => stack.behind(one, "routeTableId").some(({ urn }) => out.has(urn)))
    .flatMap((one) => stack.behind(one, "subnetId"));
  return new Set(subnets.map(({ urn }) => urn));
}

function subnetsOf(stack: Stack, node: Resource): Resource[] {
  const direct = ["subnetId", "subnetIds", "vpcZoneIdentifiers"].flatMap((key) => stack.behind(node, key));
  const interfaces = ["primaryNetworkInterface", "networkInterfaces"]
    .flatMap((key) => stack.behind(node, key))
    .filter(({ type }) => type === INTERFACE)
    .flatMap((one) => stack.behind(one, "subnetId"));
  return [...direct, ...interfaces].filter(({ type }) => type === SUBNET);
}
