import type * as aws from "@pulumi/aws";
import { example, type ExampleDependencies } from "./example";

const SOMEWHERE = "192.0.2.0/24";

/** The internet gateway of the network: public addresses need one. */
const gateway = async (fixture: ExampleDependencies): Promise<string> => {
  const vpcId = await fixture.vpc();
  return (await fixture.need("aws:ec2/internetGateway:InternetGateway", "gateway", { vpcId })).id;
};

/** The types of a network. */
export const network = [
  example<aws.ec2.VpcArgs>({
    token: "aws:ec2/vpc:Vpc",
    inputs: () => ({ cidrBlock: "10.8.0.0/16", enableDnsHostnames: true, tags: { Name: "example" } }),
    updates: () => ({ enableDnsHostnames: false, enableDnsSupport: false }),
    replaces: () => ({ instanceTenancy: "dedicated" }),
    fixed: { instanceTenancy: "moto cannot change it" },
  }),
  example<aws.ec2.SubnetArgs>({
    token: "aws:ec2/subnet:Subnet",
    inputs: async (fixture) => ({
      vpcId: await fixture.vpc(),
      cidrBlock: "10.7.40.0/24",
      availabilityZone: `${fixture.region}b`,
      tags: { Name: "example" },
    }),
    updates: () => ({ mapPublicIpOnLaunch: true }),
  }),
  example<aws.ec2.InternetGatewayArgs>({
    token: "aws:ec2/internetGateway:InternetGateway",
    inputs: async (fixture) => ({
      vpcId: (await fixture.need("aws:ec2/vpc:Vpc", "vpc-a", { cidrBlock: "10.9.0.0/16" })).id,
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({
      vpcId: (await fixture.need("aws:ec2/vpc:Vpc", "vpc-b", { cidrBlock: "10.9.0.0/16" })).id,
    }),
  }),
  example<aws.ec2.EipArgs>({
    token: "aws:ec2/eip:Eip",
    inputs: () => ({ domain: "vpc", tags: { Name: "example" } }),
    updates: async (fixture) => {
      await gateway(fixture);
      return { instance: await fixture.instance("with-address") };
    },
    fixed: { networkInterface: "the same call as for an instance" },
  }),
  example<aws.ec2.NatGatewayArgs>({
    token: "aws:ec2/natGateway:NatGateway",
    inputs: async (fixture) => {
      await gateway(fixture);
      return {
        allocationId: (await fixture.need("aws:ec2/eip:Eip", "nat-address", { domain: "vpc" })).id,
        subnetId: await fixture.subnet(),
        tags: { Name: "example" },
      };
    },
    updates: () => ({}),
  }),
  example<aws.ec2.RouteTableArgs>({
    token: "aws:ec2/routeTable:RouteTable",
    inputs: async (fixture) => {
      const vpcId = await fixture.vpc();
      const gatewayId = await gateway(fixture);
      return { vpcId, routes: [{ cidrBlock: "0.0.0.0/0", gatewayId }], tags: { Name: "example" } };
    },
    updates: async (fixture) => ({
      routes: [{ cidrBlock: SOMEWHERE, gatewayId: await gateway(fixture) }],
    }),
  }),
  example<aws.ec2.RouteArgs>({
    token: "aws:ec2/route:Route",
    inputs: async (fixture) => {
      const vpcId = await fixture.vpc();
      const table = await fixture.need("aws:ec2/routeTable:RouteTable", "table", { vpcId });
      const gatewayId = await gateway(fixture);
      return { routeTableId: table.id, destinationCidrBlock: "0.0.0.0/0", gatewayId };
    },
    updates: async (fixture) => {
      const other = await fixture.need("aws:ec2/internetGateway:InternetGateway", "spare-gateway", {});
      return { gatewayId: other.id };
    },
    fixed: {
      egressOnlyGatewayId: "the same call with another target",
      natGatewayId: "the same call with another target",
      networkInterfaceId: "the same call with another target",
      transitGatewayId: "the same call with another target",
      vpcEndpointId: "the same call with another target",
      vpcPeeringConnectionId: "the same call with another target",
    },
    importId: (_id, state) => `${String(state.routeTableId)}_0.0.0.0/0`,
  }),
  example<aws.ec2.RouteTableAssociationArgs>({
    token: "aws:ec2/routeTableAssociation:RouteTableAssociation",
    inputs: async (fixture) => ({
      routeTableId: (
        await fixture.need("aws:ec2/routeTable:RouteTable", "table", { vpcId: await fixture.vpc() })
      ).id,
      subnetId: await fixture.subnet(2),
    }),
    updates: () => ({}),
    replaces: () => ({ routeTableId: "rtb-other" }),
    fixed: { routeTableId: "replaces, see there" },
  }),
  example<aws.ec2.SecurityGroupArgs>({
    token: "aws:ec2/securityGroup:SecurityGroup",
    inputs: async (fixture) => ({
      vpcId: await fixture.vpc(),
      ingress: [
        { protocol: "tcp", fromPort: 443, toPort: 443, cidrBlocks: [SOMEWHERE], description: "from there" },
        { protocol: "tcp", fromPort: 443, toPort: 443, cidrBlocks: ["198.51.100.0/24"] },
        { protocol: "tcp", fromPort: 2379, toPort: 2380, self: true },
      ],
      egress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] }],
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({
      ingress: [
        { protocol: "tcp", fromPort: 6443, toPort: 6443, cidrBlocks: [SOMEWHERE] },
        { protocol: "udp", fromPort: 8472, toPort: 8472, securityGroups: [await fixture.group("other")] },
      ],
      egress: [{ protocol: "tcp", fromPort: 443, toPort: 443, cidrBlocks: ["0.0.0.0/0"] }],
    }),
  }),
  example<aws.ec2.DefaultSecurityGroupArgs>({
    token: "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    inputs: async (fixture) => ({ vpcId: await fixture.vpc(), tags: { Name: "closed" } }),
    updates: () => ({
      ingress: [{ protocol: "tcp", fromPort: 22, toPort: 22, cidrBlocks: [SOMEWHERE] }],
      egress: [{ protocol: "tcp", fromPort: 53, toPort: 53, cidrBlocks: [SOMEWHERE] }],
    }),
    stays: true,
  }),
  example<aws.vpc.SecurityGroupIngressRuleArgs>({
    token: "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
    inputs: async (fixture) => ({
      securityGroupId: await fixture.group(),
      ipProtocol: "tcp",
      fromPort: 80,
      toPort: 81,
      cidrIpv4: SOMEWHERE,
      description: "web",
      tags: { Name: "example" },
    }),
    updates: () => ({
      cidrIpv4: "198.51.100.0/24",
      description: "other",
      fromPort: 79,
      toPort: 90,
      ipProtocol: "udp",
    }),
    fixed: {
      cidrIpv6: "one source only",
      prefixListId: "one source only",
      referencedSecurityGroupId: "one source only",
    },
  }),
  example<aws.vpc.SecurityGroupEgressRuleArgs>({
    token: "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
    inputs: async (fixture) => ({
      securityGroupId: await fixture.group(),
      ipProtocol: "tcp",
      fromPort: 80,
      toPort: 81,
      referencedSecurityGroupId: await fixture.group("other"),
    }),
    updates: () => ({ fromPort: 79, toPort: 90, ipProtocol: "udp", description: "other" }),
    fixed: {
      cidrIpv4: "one source only",
      cidrIpv6: "one source only",
      prefixListId: "one source only",
      referencedSecurityGroupId: "one source only",
    },
  }),
  example<aws.ec2.SecurityGroupRuleArgs>({
    token: "aws:ec2/securityGroupRule:SecurityGroupRule",
    inputs: async (fixture) => ({
      type: "ingress",
      securityGroupId: await fixture.group("older"),
      protocol: "tcp",
      fromPort: 22,
      toPort: 22,
      cidrBlocks: [SOMEWHERE, "198.51.100.0/24"],
      description: "login",
    }),
    updates: () => ({ description: "other" }),
    importId: (_id, state) =>
      `${String(state.securityGroupId)}_ingress_tcp_22_22_192.0.2.0/24_198.51.100.0/24`,
  }),
  example<aws.ec2.NetworkInterfaceArgs>({
    token: "aws:ec2/networkInterface:NetworkInterface",
    inputs: async (fixture) => ({
      subnetId: await fixture.subnet(),
      privateIps: ["10.7.0.50"],
      securityGroups: [await fixture.group()],
      description: "fixed",
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({
      description: "other",
      privateIps: ["10.7.0.50", "10.7.0.51"],
      securityGroups: [await fixture.group("other")],
      sourceDestCheck: false,
    }),
    replaces: () => ({ privateIps: ["10.7.0.52"] }),
    fixed: { privateIpsCount: "follows from privateIps" },
  }),
  example<aws.ec2.NetworkInterfaceAttachmentArgs>({
    token: "aws:ec2/networkInterfaceAttachment:NetworkInterfaceAttachment",
    inputs: async (fixture) => ({
      deviceIndex: 1,
      instanceId: await fixture.instance(),
      networkInterfaceId: (
        await fixture.need("aws:ec2/networkInterface:NetworkInterface", "second-interface", {
          subnetId: await fixture.subnet(),
        })
      ).id,
    }),
    updates: () => ({}),
  }),
  example<aws.ec2.VpcEndpointArgs>({
    token: "aws:ec2/vpcEndpoint:VpcEndpoint",
    inputs: async (fixture) => ({
      vpcId: await fixture.vpc(),
      serviceName: `com.amazonaws.${fixture.region}.s3`,
      routeTableIds: [
        (await fixture.need("aws:ec2/routeTable:RouteTable", "table", { vpcId: await fixture.vpc() })).id,
      ],
      tags: { Name: "example" },
    }),
    updates: () => ({}),
    fixed: {
      routeTableIds: "moto cannot delete the endpoint afterwards",
      policy: "moto answers with its own",
      privateDnsEnabled: "for interface endpoints",
      securityGroupIds: "for interface endpoints",
      subnetIds: "for interface endpoints",
    },
  }),
  example<aws.ec2.FlowLogArgs>({
    token: "aws:ec2/flowLog:FlowLog",
    inputs: async (fixture) => ({
      vpcId: await fixture.vpc(),
      trafficType: "ALL",
      logDestinationType: "s3",
      logDestination: String((await fixture.need("aws:s3/bucket:Bucket", "flow-logs", {})).state.arn),
      tags: { Name: "example" },
    }),
    updates: () => ({}),
  }),
];
