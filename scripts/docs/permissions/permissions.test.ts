import path from "node:path";
import { resources, lookups } from "../../../sandbox/providers/aws/registry";
import { allActions, everyCluster, hosted, notNamed, policyOf, selfManaged, tokensBelow, tokensIn } from ".";

const COMPONENTS = path.resolve(__dirname, "../../../components");
const permissionGroups = [everyCluster, selfManaged, hosted];
const declared = permissionGroups.flatMap(({ types }) => Object.keys(types)).sort();

test("the table has every type and function of AWS that the components use, and no other", () => {
  expect(declared).toEqual(tokensBelow(COMPONENTS));
});

test.each([
  ["new aws.ec2.Vpc(name)", ["aws:ec2/vpc:Vpc"]],
  ["new aws.vpc.SecurityGroupEgressRule(", ["aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"]],
  ["aws.ec2.getAmiOutput({})", ["aws:ec2/getAmi:getAmi"]],
  ["await aws.getRegion()", ["aws:index/getRegion:getRegion"]],
  ["const args: aws.ec2.VpcArgs = {};", []],
])("in %s it finds %j", (source, tokens) => {
  expect(tokensIn(source)).toEqual(tokens);
});

test("every type is one that the sandbox's provider knows by the same token", () => {
  expect(declared.filter((token) => !resources.has(token) && !lookups.has(token))).toEqual([]);
});

test("actions are written as IAM writes them", () => {
  for (const group of permissionGroups)
    for (const action of allActions(group)) expect(action).toMatch(/^[a-z0-9]+:[A-Z][A-Za-z0-9]+$/);
});

test.each(permissionGroups.map((group) => [group.title, group] as const))(
  "the policy of %s has every action and is short enough for AWS",
  (_, group) => {
    const text = policyOf(group);
    expect(text.replaceAll(/\s/g, "").length).toBeLessThanOrEqual(6144);
    const { Statement } = JSON.parse(text) as { Statement: { Action: string[] }[] };
    expect([...new Set(Statement.flatMap(({ Action }) => Action))].sort()).toEqual(allActions(group));
  },
);

/** Whether one of a policy's statements allows something, as IAM reads its wildcards. */
function allowed(group: (typeof permissionGroups)[number], action: string, arn: string): boolean {
  const { Statement } = JSON.parse(policyOf(group).replaceAll("ENVIRONMENT", "staging")) as {
    Statement: { Action: string[]; Resource: string | string[] }[];
  };
  const matches = (pattern: string): boolean =>
    new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(arn);
  return Statement.some(({ Action, Resource }) => Action.includes(action) && [Resource].flat().some(matches));
}

test.each([
  ["CreateRole", "arn:aws:iam::123456789012:role/staging-servers-0a1b2c3", true],
  // cluster.iam.path
  ["CreateRole", "arn:aws:iam::123456789012:role/platform/k8s/staging-servers-0a1b2c3", true],
  ["CreateRole", "arn:aws-us-gov:iam::123456789012:role/staging-servers-0a1b2c3", true],
  ["CreateRole", "arn:aws-cn:iam::123456789012:role/platform/staging-servers-0a1b2c3", true],
  ["CreateRole", "arn:aws:iam::123456789012:role/admin", false],
  ["CreateRole", "arn:aws:iam::123456789012:role/platform/prod-servers-0a1b2c3", false],
  // cluster.iam.permissionsBoundary, given to roles that are there and taken from them again.
  ["PutRolePermissionsBoundary", "arn:aws:iam::123456789012:role/staging-servers-0a1b2c3", true],
  ["DeleteRolePermissionsBoundary", "arn:aws:iam::123456789012:role/platform/staging-servers-0", true],
])("the policy of every cluster on iam:%s for %s: %s", (action, arn, expected) => {
  expect(allowed(everyCluster, `iam:${action}`, arn)).toBe(expected);
});

test.each([
  "arn:aws-cn:iam::123456789012:instance-profile/platform/staging-servers-0a1b2c3",
  "arn:aws:iam::123456789012:instance-profile/staging-servers-0a1b2c3",
])("the policy of RKE2 lets whoever runs the engine make %s", (arn) => {
  expect(allowed(selfManaged, "iam:CreateInstanceProfile", arn)).toBe(true);
});

test("actions in the ledger that no table names are reported, except what nodes ask for themselves", () => {
  const asked = [
    "CreateVpc",
    "CreateCluster",
    "CompleteLifecycleAction",
    "CreateVpc",
    "CreateVpnGateway",
  ].map((action) => ({
    service: { CreateCluster: "eks", CompleteLifecycleAction: "autoscaling" }[action] ?? "ec2",
    action,
  }));
  expect(notNamed(asked, [everyCluster, selfManaged])).toEqual(["ec2:CreateVpnGateway", "eks:CreateCluster"]);
  expect(notNamed(asked, [everyCluster, hosted])).toEqual(["ec2:CreateVpnGateway"]);
});
