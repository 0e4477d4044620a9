import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { Doors, type DoorTransforms } from "./network-doors";
import { flowLogs, type FlowLogTransforms } from "./flow-log";
import type { NetworkPlace, SubnetPlace } from "./place";
import { type Problem, refuseProblems } from "./problem";
import { MOST_ZONES, planSubnets, rangeProblems } from "./subnet-plan";
import { type Transform, transformed } from "./transform";

/** How private subnets reach the internet. */
export enum NatMode {
  /** One gateway for all zones: cheap, and gone with its zone. */
  Single = "single",
  /** One gateway in each zone. */
  PerZone = "per-zone",
  /** None: nodes reach what the endpoints and your own routes give them. */
  None = "none",
}

/** A network that exists already. */
export interface ExistingNetwork {
  vpcId: string;
  /** @example "10.20.0.0/16" */
  cidr: string;
  /** One for each zone. */
  privateSubnets: SubnetPlace[];
  /** @default [] */
  publicSubnets?: SubnetPlace[];
  /** @default the private ones */
  controlSubnets?: SubnetPlace[];
}

/** The arguments of `Network`. */
export interface NetworkArgs {
  /** The range of addresses, from /16 to /20. @default "10.0.0.0/16" */
  cidr?: string;
  /** How many zones, from 1 to 3. @default 3, or as many as `zoneNames` has */
  zones?: number;
  /** Which zones. @default the first ones of the region @example ["eu-central-1a", "eu-central-1b"] */
  zoneNames?: string[];
  /** How private subnets reach the internet. @default NatMode.Single */
  nat?: NatMode;
  /** Whether Systems Manager and Auto Scaling are reached inside the network; S3 always is. Costs by hour and zone. @default true */
  privateEndpoints?: boolean;
  /** Whether connections are written down in CloudWatch Logs. @default true */
  flowLogs?: boolean;
  /** How long those logs are kept. @default 30 */
  flowLogDays?: number;
  /** Use this network and make none; the other arguments are not used then. */
  existing?: ExistingNetwork;
  /** Tags for everything. @default {} */
  tags?: Record<string, string>;
}

/** How the children of `Network` are made different. */
export interface NetworkTransforms extends DoorTransforms, FlowLogTransforms {
  vpc?: Transform<aws.ec2.VpcArgs>;
  defaultSecurityGroup?: Transform<aws.ec2.DefaultSecurityGroupArgs>;
  subnet?: Transform<aws.ec2.SubnetArgs>;
}

/** The options of `Network`. */
export interface NetworkOptions extends pulumi.ComponentResourceOptions {
  transform?: NetworkTransforms;
}

/**
 * A VPC over one to three zones, each with a private, a public and a control subnet; or one that exists.
 *
 * @example
 * const network = new Network("main", { cidr: "10.20.0.0/16", nat: NatMode.PerZone });
 * new RkeCluster("main", { network: network.place, … });
 */
export class Network extends pulumi.ComponentResource {
  readonly vpcId: pulumi.Output<string>;
  readonly cidr: pulumi.Output<string>;
  readonly privateSubnetIds: pulumi.Output<string[]>;
  readonly publicSubnetIds: pulumi.Output<string[]>;
  /** The network as other components take it. */
  readonly place: NetworkPlace;

  constructor(name: string, args: NetworkArgs = {}, opts: NetworkOptions = {}) {
    refuseProblems(`The network ${JSON.stringify(name)}`, networkProblems(args), opts.parent);
    super("fleetwright:index:Network", name, args, opts);
    this.place = args.existing ?? this.build(name, args, opts.transform ?? {});
    this.vpcId = pulumi.output(this.place.vpcId);
    this.cidr = pulumi.output(this.place.cidr);
    this.privateSubnetIds = pulumi.output(this.place.privateSubnets.map(({ id }) => id));
    this.publicSubnetIds = pulumi.output((this.place.publicSubnets ?? []).map(({ id }) => id));
    this.registerOutputs({
      vpcId: this.vpcId,
      cidr: this.cidr,
      privateSubnetIds: this.privateSubnetIds,
      publicSubnetIds: this.publicSubnetIds,
    });
  }

  private build(name: string, args: NetworkArgs, transform: NetworkTransforms): NetworkPlace {
    const cidr = args.cidr ?? DEFAULT_CIDR;
    const parent = { parent: this };
    const tags = (own: string): Record<string, string> => ({ ...args.tags, Name: `${name}-${own}` });
    const vpc = new aws.ec2.Vpc(
      ...transformed<aws.ec2.VpcArgs>(
        transform.vpc,
        `${name}-vpc`,
        {
          cidrBlock: cidr,
          enableDnsSupport: true,
          enableDnsHostnames: true,
          tags: { ...args.tags, Name: name },
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
    const count = zoneCount(args);
    const zones = zoneNames(args, count, this);
    const plan = planSubnets(cidr, count);
    const subnets = (kind: "private" | "public" | "control", more: Record<string, string>): SubnetPlace[] =>
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
            parent,
          ),
        );
        return { id: subnet.id, zone: subnet.availabilityZone, cidr: ranges[kind] };
      });
    // By these tags the load balancers of Kubernetes services find their subnets.
    const place = {
      vpcId: vpc.id,
      cidr,
      privateSubnets: subnets("private", { "kubernetes.io/role/internal-elb": "1" }),
      publicSubnets: subnets("public", { "kubernetes.io/role/elb": "1" }),
      controlSubnets: subnets("control", {}),
    };
    new Doors({ name, place, tags: args.tags ?? {}, ...doorArgs(args) }, transform, this);
    if (args.flowLogs ?? true)
      flowLogs(name, vpc.id, args.flowLogDays ?? 30, args.tags ?? {}, transform, this);
    return place;
  }
}

const DEFAULT_CIDR = "10.0.0.0/16";

/** What is wrong with a network's arguments. */
export function networkProblems(args: NetworkArgs): Problem[] {
  if (args.existing !== undefined) {
    return args.existing.privateSubnets.length === 0
      ? ["network.existing.privateSubnets is empty: name a subnet for each zone."]
      : [];
  }
  const count = zoneCount(args);
  return [
    ...rangeProblems(args.cidr ?? DEFAULT_CIDR),
    ...(count >= 1 && count <= MOST_ZONES && Number.isInteger(count)
      ? []
      : [`network.zones is ${count}: use 1, 2 or ${MOST_ZONES}.`]),
    ...(args.zoneNames !== undefined && args.zones !== undefined && args.zones !== args.zoneNames.length
      ? [
          `network.zones is ${args.zones}, but network.zoneNames names ${args.zoneNames.length}: give one of the two.`,
        ]
      : []),
    ...(args.zoneNames !== undefined && new Set(args.zoneNames).size !== args.zoneNames.length
      ? [`network.zoneNames names a zone twice: ${args.zoneNames.join(", ")}.`]
      : []),
  ];
}

/** How many zones a network has. */
export function zoneCount(args: NetworkArgs): number {
  return args.existing?.privateSubnets.length ?? args.zones ?? args.zoneNames?.length ?? 3;
}

function zoneNames(args: NetworkArgs, count: number, parent: pulumi.Resource): pulumi.Input<string>[] {
  if (args.zoneNames !== undefined) return args.zoneNames;
  const found = aws.getAvailabilityZonesOutput({ state: "available" }, { parent }).names;
  return Array.from({ length: count }, (_, index) =>
    found.apply((names) => {
      const name = names[index];
      if (name === undefined) {
        throw new Error(
          `The region has ${names.length} zones, and network.zones is ${count}: use fewer zones.`,
        );
      }
      return name;
    }),
  );
}

function doorArgs(args: NetworkArgs): { nat: "single" | "per-zone" | "none"; privateEndpoints: boolean } {
  return { nat: args.nat ?? NatMode.Single, privateEndpoints: args.privateEndpoints ?? true };
}
