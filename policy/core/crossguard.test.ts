import { resourcesOf } from "../testing/cases";
import { SECRET_KEY, SECRET_MARK } from "./property";
import { policyContextOf } from "./policy-context";
import { policies } from "../policies";
import { Analyzer, type Diagnostic } from "../testing/analyzer";

const secret = (value: unknown) => ({ [SECRET_KEY]: SECRET_MARK, value });

/** What a policy says of a resource in an environment, through the SDK. */
async function said(name: string, properties: object, stack = "prod"): Promise<Diagnostic[]> {
  const policy = policies.filter((one) => one.name === name);
  const [, resource] = resourcesOf([{ ...properties }], policy[0]?.types[0]);
  if (resource === undefined) throw new Error("there is no resource");
  return new Analyzer(policy, policyContextOf({}, stack, "2026-11-17")).resource(resource);
}

it.each([
  ["a secret", { instanceType: secret("hush.large") }, "instanceType is [secret]."],
  [
    "a part of a secret",
    { instanceType: "hush.large", instanceTypes: secret(["hush.large"]) },
    "instanceTypes[0] is [secret].",
  ],
])("evaluates %s without showing it", async (_, properties, message) => {
  const found = await said("product-placement-instance-types", properties);
  expect(found.map((one) => one.message).join("\n")).toContain(message);
});

it("shows no secret that it finds a key in", async () => {
  const [found] = await said("aws-ec2-no-keys-in-user-data", { userData: secret("id AKIAIOSFODNN7EXAMPLE") });
  expect(found?.message).toContain("userData is text with an AWS access key in it.");
  expect(found?.message).not.toContain("AKIA");
});

it.each([
  ["prod", true],
  ["production-eu", true],
  ["staging", false],
  ["dev", false],
])("a policy for production, in %s: stops is %s", async (stack, isMandatory) => {
  expect(await said("aws-lb-deletion-protection", {}, stack)).toMatchObject([{ isMandatory }]);
});

it("repairs what it should, and nothing that is in order", () => {
  const repairs = policies.filter(({ remediate }) => remediate !== undefined);
  expect(repairs.map(({ name }) => name)).toEqual([
    "aws-ec2-metadata-v2",
    "aws-ec2-subnet-no-public-address",
    "aws-ecr-immutable-tags",
    "aws-ecr-scan-on-push",
    "aws-eks-logs",
    "aws-kms-key-rotation",
    "aws-lb-deletion-protection",
  ]);
  for (const { name, remediate } of repairs) {
    const inputs: Record<string, unknown> =
      name === "aws-ec2-subnet-no-public-address" ? { mapPublicIpOnLaunch: true } : {};
    expect([name, remediate?.(inputs), remediate?.(inputs)]).toEqual([name, true, false]);
  }
});
