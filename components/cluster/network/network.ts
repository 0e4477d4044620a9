import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { settingsOf } from "../../schema";
import { transformed, withoutTransform } from "../../transform";
import type { NetworkArgs, NetworkTransforms } from "./args";
import { flowLogs } from "./flow-log";
import { Gateways } from "./gateways";
import type { NetworkReference, SubnetReference } from "./network-reference";
import { checkNetwork, type NetworkSettings, zoneCount } from "./schema";
import { planSubnets } from "./subnet-plan";

/**
 * A VPC over one to three zones, each with a private, a public and a control subnet; or one that exists.
 *
 * @example
 * const network = new Network("main", { cidr: "10.20.0.0/16", nat: NatMode.PerZone });
 * new RkeCluster("main", { network: network.reference, … });
 */
export class Network extends pulumi.ComponentResource {
  readonly vpcId: pulumi.Output<string>;
  readonly cidr: pulumi.Output<string>;
  readonly privateSubnetIds: pulumi.Output<string[]>;
  readonly publicSubnetIds: pulumi.Output<string[]>;
  /** The network as other components take it. */
  readonly reference: NetworkReference;

  constructor(name: string, args: NetworkArgs = {}, opts: pulumi.ComponentResourceOptions = {}) {
    const settings = settingsOf(`network ${JSON.stringify(name)}`, checkNetwork(args), opts.parent);
    super("fleetwright:index:Network", name, withoutTransform(args), opts);
    this.reference = args.existing ?? this.build(name, settings, args.transform ?? {});
    this.vpcId = pulumi.output(this.reference.vpcId);
    this.cidr = pulumi.output(this.reference.cidr);
    this.privateSubnetIds = pulumi.output(this.reference.privateSubnets.map(({ id }) => id));
    this.publicSubnetIds = pulumi.output((this.reference.publicSubnets ?? []).map(({ id }) => id));
    this.registerOutputs({
      vpcId: this.vpcId,
      cidr: this.cidr,
      privateSubnetIds: this.privateSubnetIds,
      publicSubnetIds: this.publicSubnetIds,
    });
  }

  private build(name: string, settings: NetworkSettings, transform: NetworkTransforms): NetworkReference {
    const { cidr, flowLogDays, nat, privateEndpoints, tags: own } = settings;
    const parent = { parent: this };
    const tags = (suffix: string): Record<string, string> => ({ ...own, Name: `${name}-${suffix}` });
    const vpc = new aws.ec2.Vpc(
      ...transformed<aws.ec2.VpcArgs>(
        transform.vpc,
        `${name}-vpc`,
        {
          cidrBlock: cidr,
          enableDnsSupport: true,
          enableDnsHostnames: true,
          tags: { ...own, Name: name },
        },
        parent,
      ),
    );
    // Without rules in it, what forgets to name a group of its own reaches nothing.
    new aws.ec2.DefaultSecurityGroup(
      ...transformed<aws.ec2.DefaultSecurityGroupArgs>(
        transform.defaultSecurityGroup,
        `${name}-default`,
        { vpcId: vpc.id, ingress: [], egress: [], tags: tags("default-closed") },
        parent,
      ),
    );
    const count = zoneCount(settings);
    const zones = zoneNames(settings, count, this);
    // Zones that were looked up stay what they were when the subnet was made, whatever the region offers later.
    const ofSubnet = settings.zoneNames === undefined ? { ignoreChanges: ["availabilityZone"] } : {};
    const plan = planSubnets(cidr, count);
    const subnets = (
      kind: "private" | "public" | "control",
      more: Record<string, string>,
    ): SubnetReference[] =>
      plan.map((ranges, index) => {
        const subnet = new aws.ec2.Subnet(
          ...transformed<aws.ec2.SubnetArgs>(
            transform.subnet,
            `${name}-${kind}-${index}`,
            {
              vpcId: vpc.id,
              cidrBlock: ranges[kind],
              availabilityZone: zones[index] ?? "",
              mapPublicIpOnLaunch: false,
              tags: { ...tags(`${kind}-${index}`), ...more },
            },
            { ...parent, ...ofSubnet },
          ),
        );
        return { id: subnet.id, zone: subnet.availabilityZone, cidr: ranges[kind] };
      });
    // By these tags the load balancers of Kubernetes services find their subnets.
    const network = {
      vpcId: vpc.id,
      cidr,
      privateSubnets: subnets("private", { "kubernetes.io/role/internal-elb": "1" }),
      publicSubnets: subnets("public", { "kubernetes.io/role/elb": "1" }),
      controlSubnets: subnets("control", {}),
    };
    new Gateways({ name, network, tags: own, nat, privateEndpoints }, transform, this);
    if (settings.flowLogs) flowLogs(name, vpc.id, flowLogDays, own, transform, this);
    return network;
  }
}

function zoneNames(
  settings: NetworkSettings,
  count: number,
  parent: pulumi.Resource,
): pulumi.Input<string>[] {
  if (settings.zoneNames !== undefined) return settings.zoneNames;
  // Local Zones that an account opted in to come first by name, and have neither NAT gateways nor network load balancers.
  const filters = [{ name: "opt-in-status", values: ["opt-in-not-required"] }];
  const found = aws.getAvailabilityZonesOutput({ state: "available", filters }, { parent }).names;
  return Array.from({ length: count }, (_, index) =>
    found.apply((names) => {
      const name = names[index];
      if (name === undefined) {
        throw new Error(
          `network.zones is ${count}, but the region has ${names.length} zones (${names.join(", ")}): use fewer.`,
        );
      }
      return name;
    }),
  );
}
