import type { Resource } from "../../policy/core/resource";
import { costsOf, costTable } from "./stack-costs";

function resource(type: string, name: string, properties: object, more: Partial<Resource> = {}): Resource {
  const urn = `urn:pulumi:staging::fleetwright::${type}::${name}`;
  return {
    type,
    name,
    urn,
    properties: { ...properties },
    isProtected: false,
    provider: {},
    dependencies: [],
    propertyDependencies: {},
    ...more,
  };
}

const template = resource("aws:ec2/launchTemplate:LaunchTemplate", "web", {
  instanceType: "m7i.large",
  blockDeviceMappings: [{ ebs: { volumeType: "gp3", volumeSize: 40 } }],
});
const server = (name: string): Resource =>
  resource("aws:ec2/instance:Instance", name, {
    instanceType: "m7i.large",
    rootBlockDevice: { volumeType: "gp3", volumeSize: 40 },
  });

const costs = costsOf([
  server("a"),
  server("b"),
  template,
  resource(
    "aws:autoscaling/group:Group",
    "web",
    { desiredCapacity: 1, maxSize: 3 },
    { propertyDependencies: { launchTemplate: [template.urn] } },
  ),
  resource("aws:ebs/volume:Volume", "state", { type: "gp3", size: 20 }),
  resource("aws:ec2/vpcEndpoint:VpcEndpoint", "s3", { vpcEndpointType: "Gateway" }),
  resource("aws:ec2/vpcEndpoint:VpcEndpoint", "ssm", {
    vpcEndpointType: "Interface",
    subnetIds: ["a", "b", "c"],
  }),
  resource("aws:ec2/natGateway:NatGateway", "nat", {}),
]);

test("what is paid for is counted by what it is, and what an autoscaler may make of it", () => {
  expect(costs.map(({ what, count, most }) => [what, count, most])).toEqual([
    ["server, m7i.large", 2, 2],
    ["root disk of a server, 40 GiB gp3", 2, 2],
    ["state volume, 20 GiB gp3", 1, 1],
    ["node of a pool, m7i.large", 1, 3],
    ["root disk of a node of a pool, 40 GiB gp3", 1, 3],
    ["NAT gateway", 1, 1],
    ["interface endpoint in a zone", 3, 3],
  ]);
});

test("a machine whose price is not known says so, and is not in the sum", () => {
  const [unknown] = costsOf([
    resource("aws:ec2/instance:Instance", "a", { instanceType: "x9z.huge", rootBlockDevice: {} }),
  ]);
  expect(unknown?.each).toBeUndefined();
  expect(costTable([{ what: "a", count: 2, most: 4, each: 1.5 }, ...(unknown ? [unknown] : [])])).toBe(
    [
      "| what | how many | each, a month | together |",
      "| --- | ---: | ---: | ---: |",
      "| a | 2, up to 4 | $1.50 | $3.00 |",
      "| server, x9z.huge | 1 | not in the table | $0.00 |",
      "| **about, a month** | | | **$3.00, up to $6.00** |",
    ].join("\n"),
  );
});
