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

test("every type is one that the sandbox's provider knows by the same token, but for the one that moto has not", () => {
  const unknown = declared.filter((token) => !resources.has(token) && !lookups.has(token));
  expect(unknown).toEqual(["aws:dlm/lifecyclePolicy:LifecyclePolicy"]);
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
