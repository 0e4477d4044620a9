import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { NetworkReference, SubnetReference } from "./network-reference";
import { partitionOf } from "../iam-policy";
import { type Transform, transformed } from "../../transform";

/** Overrides for gateways, routes and endpoints. */
export interface GatewayTransforms {
  internetGateway?: Transform<aws.ec2.InternetGatewayArgs>;
  natGateway?: Transform<aws.ec2.NatGatewayArgs>;
  natAddress?: Transform<aws.ec2.EipArgs>;
  routeTable?: Transform<aws.ec2.RouteTableArgs>;
  endpoint?: Transform<aws.ec2.VpcEndpointArgs>;
  endpointSecurityGroup?: Transform<aws.ec2.SecurityGroupArgs>;
}

/** What the ways in and out depend on. */
export interface GatewaySettings {
  /** The network's name, before those of the children. */
  readonly name: string;
  readonly network: NetworkReference & {
    publicSubnets: SubnetReference[];
    controlSubnets: SubnetReference[];
  };
  readonly nat: "single" | "per-zone" | "none";
  readonly privateEndpoints: boolean;
  readonly tags: Readonly<Record<string, string>>;
}

/** The services that a node without a way to the internet needs: Systems Manager's, and its auto scaling group's. */
const SERVICES = ["ssm", "autoscaling"];

/** Gateways, routes and endpoints of a network. */
export class Gateways {
  readonly #settings: GatewaySettings;
  readonly #transform: GatewayTransforms;
  readonly #parent: pulumi.Resource;

  constructor(settings: GatewaySettings, transform: GatewayTransforms, parent: pulumi.Resource) {
    this.#settings = settings;
    this.#transform = transform;
    this.#parent = parent;
    const { network, name } = settings;
    const gateway = new aws.ec2.InternetGateway(
      ...transformed<aws.ec2.InternetGatewayArgs>(
        transform.internetGateway,
        `${name}-internet`,
        { vpcId: network.vpcId, tags: this.#tags("internet") },
        { parent },
      ),
    );
    const out = this.#table("public", { gatewayId: gateway.id });
    network.publicSubnets.forEach(({ id }, index) => this.#associate(`public-${index}`, id, out));
    const inner = this.#privateTables(gateway);
    [network.privateSubnets, network.controlSubnets].forEach((subnets, kind) =>
      subnets.forEach(({ id }, index) => {
        const table = inner[index] ?? inner[0];
        if (table !== undefined) this.#associate(`${kind === 0 ? "private" : "control"}-${index}`, id, table);
      }),
    );
    this.#endpoints([out, ...inner]);
  }

  /** One table for each NAT gateway, or one without a way out. */
  #privateTables(gateway: aws.ec2.InternetGateway): aws.ec2.RouteTable[] {
    const { nat, network, name } = this.#settings;
    if (nat === "none") return [this.#table("private", undefined)];
    const subnets = nat === "single" ? network.publicSubnets.slice(0, 1) : network.publicSubnets;
    return subnets.map((subnet, index) => {
      const address = new aws.ec2.Eip(
        ...transformed<aws.ec2.EipArgs>(
          this.#transform.natAddress,
          `${name}-nat-${index}`,
          { domain: "vpc", tags: this.#tags(`nat-${index}`) },
          { parent: this.#parent, dependsOn: [gateway] },
        ),
      );
      const gate = new aws.ec2.NatGateway(
        ...transformed<aws.ec2.NatGatewayArgs>(
          this.#transform.natGateway,
          `${name}-nat-${index}`,
          { allocationId: address.id, subnetId: subnet.id, tags: this.#tags(`nat-${index}`) },
          { parent: this.#parent, dependsOn: [gateway] },
        ),
      );
      return this.#table(`private-${index}`, { natGatewayId: gate.id });
    });
  }

  #table(own: string, target: Partial<aws.ec2.RouteArgs> | undefined): aws.ec2.RouteTable {
    const { name, network } = this.#settings;
    const parent = this.#parent;
    const table = new aws.ec2.RouteTable(
      ...transformed<aws.ec2.RouteTableArgs>(
        this.#transform.routeTable,
        `${name}-${own}`,
        { vpcId: network.vpcId, tags: this.#tags(own) },
        { parent },
      ),
    );
    if (target !== undefined) {
      new aws.ec2.Route(
        `${name}-${own}-out`,
        { routeTableId: table.id, destinationCidrBlock: "0.0.0.0/0", ...target },
        { parent },
      );
    }
    return table;
  }

  #associate(own: string, subnetId: pulumi.Input<string>, table: aws.ec2.RouteTable): void {
    new aws.ec2.RouteTableAssociation(
      `${this.#settings.name}-${own}`,
      { subnetId, routeTableId: table.id },
      { parent: this.#parent },
    );
  }

  #endpoints(tables: aws.ec2.RouteTable[]): void {
    const { name, network, privateEndpoints } = this.#settings;
    const { vpcId } = network;
    const parent = this.#parent;
    const region = aws.getRegionOutput({}, { parent }).region;
    const partition = partitionOf(parent);
    const endpoint = (own: string, more: Partial<aws.ec2.VpcEndpointArgs>): void => {
      const args = {
        vpcId,
        // In China only gateways are named as elsewhere.
        serviceName: pulumi
          .all([region, partition])
          .apply(([value, { reverseDnsPrefix }]) =>
            more.vpcEndpointType === "Gateway"
              ? `com.amazonaws.${value}.${own}`
              : `${reverseDnsPrefix}.${value}.${own}`,
          ),
        tags: this.#tags(own),
        ...more,
      };
      new aws.ec2.VpcEndpoint(
        ...transformed<aws.ec2.VpcEndpointArgs>(this.#transform.endpoint, `${name}-${own}`, args, { parent }),
      );
    };
    endpoint("s3", { vpcEndpointType: "Gateway", routeTableIds: tables.map(({ id }) => id) });
    if (!privateEndpoints) return;
    const group = new aws.ec2.SecurityGroup(
      ...transformed<aws.ec2.SecurityGroupArgs>(
        this.#transform.endpointSecurityGroup,
        `${name}-endpoints`,
        { vpcId, description: "Endpoints of AWS services", tags: this.#tags("endpoints") },
        { parent },
      ),
    );
    new aws.vpc.SecurityGroupIngressRule(
      `${name}-endpoints-https`,
      {
        securityGroupId: group.id,
        description: "HTTPS from the network",
        ipProtocol: "tcp",
        fromPort: 443,
        toPort: 443,
        cidrIpv4: network.cidr,
      },
      { parent },
    );
    for (const service of SERVICES) {
      endpoint(service, {
        vpcEndpointType: "Interface",
        privateDnsEnabled: true,
        subnetIds: network.privateSubnets.map(({ id }) => id),
        securityGroupIds: [group.id],
      });
    }
  }

  #tags(own: string): Record<string, string> {
    return { ...this.#settings.tags, Name: `${this.#settings.name}-${own}` };
  }
}
