import { resources } from "../registry";
import { checkInputs } from "./check";
import type { AwsResource } from "./declaration";
import { UNKNOWN } from "./value";
import type { Values } from "./value";

const urn = "urn:pulumi:dev::fleet::some:index:Parent$aws:iam/role:Role::worker";

function known(token: string): AwsResource {
  const resource = resources.get(token);
  if (resource === undefined) throw new Error(token);
  return resource;
}

const check = (token: string, news: Values, olds: Values = {}, seed = new Uint8Array([1, 2, 3])) =>
  checkInputs(known(token), { urn, olds, news, seed });

it("fills in defaults and notes which ones", () => {
  const { inputs, failures } = check("aws:ec2/vpc:Vpc", { cidrBlock: "10.0.0.0/16" });
  expect(failures).toEqual([]);
  expect(inputs).toEqual({
    __defaults: ["enableDnsSupport", "instanceTenancy"],
    cidrBlock: "10.0.0.0/16",
    enableDnsSupport: true,
    instanceTenancy: "default",
  });
});

describe("a name that the program leaves open", () => {
  const inputs = { assumeRolePolicy: "{}" };

  it("is made from the program's name and the engine's seed", () => {
    const first = check("aws:iam/role:Role", inputs).inputs.name;
    expect(first).toMatch(/^worker-[0-9a-f]{7}$/);
    expect(check("aws:iam/role:Role", inputs).inputs.name).toBe(first);
    expect(check("aws:iam/role:Role", inputs, {}, new Uint8Array([4])).inputs.name).not.toBe(first);
  });

  it("stays as it was in an update", () => {
    const olds = { name: "worker-0000000", __defaults: ["name"] };
    expect(check("aws:iam/role:Role", inputs, olds).inputs.name).toBe("worker-0000000");
  });

  it("is a new one after the program gave its own", () => {
    expect(check("aws:iam/role:Role", inputs, { name: "mine", __defaults: [] }).inputs.name).not.toBe("mine");
  });

  it("is left to the prefix that the program gives", () => {
    expect(check("aws:iam/role:Role", { ...inputs, namePrefix: "worker-" }).inputs.name).toBeUndefined();
  });

  it("is not shortened: one that leaves no room for the random part is refused", () => {
    const named = (name: string) =>
      checkInputs(known("aws:lb/targetGroup:TargetGroup"), {
        ...{ urn: `urn:pulumi:dev::fleet::aws:lb/targetGroup:TargetGroup::${name}`, olds: {}, news: {} },
        seed: new Uint8Array([1]),
      });
    expect(String(named("n".repeat(24)).inputs.name)).toHaveLength(32);
    expect(named("n".repeat(24)).failures).toEqual([]);
    expect(named("n".repeat(25)).failures).toEqual([
      {
        property: "name",
        reason: `name '${"n".repeat(25)}-' plus 7 random chars is longer than maximum length 32`,
      },
    ]);
  });
});

it("makes text of a policy that came as an object, and keeps it open while a part is unknown", () => {
  const policy = { Version: "2012-10-17", Statement: [] };
  expect(check("aws:iam/role:Role", { assumeRolePolicy: policy }).inputs.assumeRolePolicy).toBe(
    JSON.stringify(policy),
  );
  expect(
    check("aws:iam/role:Role", { assumeRolePolicy: { Statement: UNKNOWN } }).inputs.assumeRolePolicy,
  ).toBe(UNKNOWN);
});

it.each([
  [
    "a property that is not known",
    "aws:ec2/vpc:Vpc",
    { ipv6IpamPoolId: "x" },
    "ipv6IpamPoolId",
    /ipv6IpamPoolId of aws:ec2\/vpc:Vpc .*pulumi plugin install resource aws/,
  ],
  ["one that is missing", "aws:ec2/subnet:Subnet", {}, "vpcId", /needs vpcId; it is missing/],
  [
    "a value that AWS does not take",
    "aws:ec2/vpc:Vpc",
    { instanceTenancy: "host" },
    "instanceTenancy",
    /"host"; it can be default, dedicated/,
  ],
  [
    "two that do not go together",
    "aws:ec2/natGateway:NatGateway",
    { subnetId: "subnet-1" },
    "",
    /needs the allocationId/,
  ],
])("names %s", (_what, token, news, property, reason) => {
  expect(check(token, news).failures).toEqual([
    { property, reason: expect.stringMatching(reason) as string },
  ]);
});

it("does not check what is not known yet", () => {
  expect(check("aws:ec2/vpc:Vpc", { instanceTenancy: UNKNOWN }).failures).toEqual([]);
  expect(check("aws:ec2/natGateway:NatGateway", { subnetId: UNKNOWN }).failures).toEqual([]);
});
