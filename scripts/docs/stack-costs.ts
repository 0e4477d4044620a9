import {
  AUTO_SCALING_GROUP,
  EKS_CLUSTER,
  INSTANCE,
  LAUNCH_TEMPLATE,
  LOAD_BALANCERS,
  NODE_GROUP,
  VOLUME,
} from "../../policy/aws/shared/resource-types";
import { instancePrice, monthlyPrice, volumePrice } from "../../policy/product/shared/prices";
import { type Resource, Stack } from "../../policy/core/resource";
import { at, listAt, numberAt, textAt } from "../../lib/json";

/** Something in a stack that is paid for by the month, traffic aside. */
export interface Cost {
  readonly what: string;
  readonly count: number;
  /** The most that autoscalers may make of it, where that is more. */
  readonly most: number;
  /** What one of it costs a month, in dollars; undefined where the price table does not know it. */
  readonly each: number | undefined;
}

/** All that a stack pays for by the month, as far as the price policy's table goes. */
export function costsOf(resources: readonly Resource[]): Cost[] {
  // A preview tells of resources in the order in which they happen to come.
  const stack = new Stack([...resources].sort((a, b) => a.urn.localeCompare(b.urn)));
  const simple = (what: string, found: readonly Resource[], each: number): Cost => ({
    what,
    count: found.length,
    most: found.length,
    each,
  });
  const endpoints = stack
    .of("aws:ec2/vpcEndpoint:VpcEndpoint")
    .filter(({ properties }) => textAt(properties, "vpcEndpointType") === "Interface")
    .flatMap(({ properties }) => listAt(properties, "subnetIds"));
  return together([
    ...stack.of(EKS_CLUSTER).map((cluster) => simple("EKS cluster", [cluster], monthlyPrice("cluster"))),
    ...stack.of(INSTANCE).flatMap(({ properties }) => machine("server", properties, properties, 1, 1)),
    ...stack.of(VOLUME).map(({ properties }) => disk("state volume", "type", properties, 1, 1)),
    ...stack.of(AUTO_SCALING_GROUP, NODE_GROUP).flatMap((group) => {
      const [template] = stack.behind(group, "launchTemplate").filter(({ type }) => type === LAUNCH_TEMPLATE);
      const { properties } = group;
      const scaling = at(properties, "scalingConfig") ?? properties;
      const count = numberAt(scaling, "desiredSize") ?? numberAt(scaling, "desiredCapacity") ?? 0;
      return machine(
        "node of a pool",
        properties,
        template?.properties,
        count,
        numberAt(scaling, "maxSize") ?? count,
      );
    }),
    ...stack
      .of(...LOAD_BALANCERS)
      .map((each) => simple("load balancer", [each], monthlyPrice("loadBalancer"))),
    ...stack
      .of("aws:ec2/natGateway:NatGateway")
      .map((each) => simple("NAT gateway", [each], monthlyPrice("natGateway"))),
    {
      what: "interface endpoint in a zone",
      count: endpoints.length,
      most: endpoints.length,
      each: monthlyPrice("interfaceEndpoint"),
    },
    ...stack.of("aws:kms/key:Key").map((key) => simple("KMS key", [key], monthlyPrice("key"))),
  ]);
}

/** A machine and its root disk, by itself or by the template that it is launched from. */
function machine(what: string, own: unknown, template: unknown, count: number, most: number): Cost[] {
  const type =
    textAt(own, "instanceType") ?? textAt(own, "instanceTypes", 0) ?? textAt(template, "instanceType") ?? "";
  const root = at(own, "rootBlockDevice") ?? at(template, "blockDeviceMappings", 0, "ebs") ?? {};
  return [
    { what: `${what}, ${type}`, count, most, each: instancePrice(type) },
    disk(`root disk of a ${what}`, "volumeType", root, count, most),
  ];
}

function disk(
  what: string,
  key: "type" | "volumeType",
  properties: unknown,
  count: number,
  most: number,
): Cost {
  const [type, size] = [
    textAt(properties, key) ?? "gp2",
    numberAt(properties, key === "type" ? "size" : "volumeSize") ?? 0,
  ];
  return { what: `${what}, ${size} GiB ${type}`, count, most, each: volumePrice(type, size) };
}

/** The same things as one row, and none of what there is none of. */
function together(costs: readonly Cost[]): Cost[] {
  const rows = new Map<string, Cost>();
  for (const cost of costs) {
    const before = rows.get(cost.what);
    rows.set(cost.what, {
      ...cost,
      count: cost.count + (before?.count ?? 0),
      most: cost.most + (before?.most ?? 0),
    });
  }
  return [...rows.values()].filter(({ most }) => most > 0);
}

/** The costs of a stack as a table, with their sum. */
export function costTable(costs: readonly Cost[]): string {
  const dollars = (value: number): string => `$${value.toFixed(value < 10 ? 2 : 0)}`;
  const sum = (pick: (cost: Cost) => number): number =>
    costs.reduce((total, cost) => total + pick(cost) * (cost.each ?? 0), 0);
  const [now, most] = [sum(({ count }) => count), sum((cost) => cost.most)];
  return [
    "| what | how many | each, a month | together |",
    "| --- | ---: | ---: | ---: |",
    ...costs.map(
      ({ what, count, most: upTo, each }) =>
        `| ${what} | ${count}${upTo > count ? `, up to ${upTo}` : ""} | ${each === undefined ? "not in the table" : dollars(each)} | ${dollars(count * (each ?? 0))} |`,
    ),
    `| **about, a month** | | | **${dollars(now)}${most > now ? `, up to ${dollars(most)}` : ""}** |`,
  ].join("\n");
}
