import { resourcesOf } from "../testing/cases";
import { SECRET_KEY, SECRET_MARK } from "../core/property";
import { policyContextOf } from "../core/policy-context";
import { policies } from "../policies";
import { reportOf } from "./report";
import { readSource } from "./source";
import { table } from "./table";

const URN = "urn:pulumi:staging::acme::aws:ebs/volume:Volume::";
const PROVIDER = "urn:pulumi:staging::acme::pulumi:providers:aws::default_7_48_0";
const tags = { owner: "a", "cost-centre": "b", "fleetwright.dev/cluster": "main" };
const volume = (name: string, inputs: object, more: object = {}) => ({
  urn: `${URN}${name}`,
  type: "aws:ebs/volume:Volume",
  custom: true,
  inputs: { ...inputs, tags },
  outputs: { ...inputs, tags, id: `vol-${name}` },
  provider: `${PROVIDER}::0123`,
  ...more,
});
const STATE = {
  version: 3,
  deployment: {
    resources: [
      { urn: "urn:pulumi:staging::acme::pulumi:pulumi:Stack::acme-staging", type: "pulumi:pulumi:Stack" },
      { urn: PROVIDER, type: "pulumi:providers:aws", inputs: { region: "eu-central-1" }, id: "0123" },
      volume("good", { encrypted: true }),
      volume("bad", { encrypted: false }),
      volume("exempt", { encrypted: false }),
      volume("secret", { encrypted: { [SECRET_KEY]: SECRET_MARK, ciphertext: "v1:abc" } }),
      volume("gone", { encrypted: false }, { delete: true }),
    ],
  },
};
const EXEMPTIONS = [
  {
    policy: "aws-ebs-volume-encrypted",
    resource: "aws:ebs/volume:Volume::exempt",
    reason: "it holds nothing but noise",
    expires: "2027-01-01",
  },
  {
    policy: "aws-ebs-volume-encrypted",
    resource: "aws:ebs/volume:Volume::never-made",
    reason: "it was never made at all",
    expires: "2027-01-01",
  },
];
const context = policyContextOf({ exemptions: EXEMPTIONS }, "staging", "2026-11-17");

function reported(document: unknown) {
  const source = readSource(document);
  if (source === undefined) throw new Error("the document was not understood");
  return reportOf(policies, source, context);
}

it("tells what passes, is violated, is exempt and cannot be read, of a state", () => {
  const report = reported(STATE);
  expect(report).toMatchObject({ stack: "staging", from: "state", resources: 6, blocks: true });
  expect(report.policies.find(({ policy }) => policy === "aws-ebs-volume-encrypted")).toEqual({
    policy: "aws-ebs-volume-encrypted",
    level: "MUST",
    blocks: true,
    severity: "high",
    sources: ["CKV_AWS_3", "FSBP EC2.3", "CT.EC2.PR.7"],
    evaluated: 4,
    passed: 1,
    violations: 1,
    unknown: 1,
    exempt: 1,
  });
  expect(report.exemptions.map(({ state }) => state)).toEqual(["used", "no such resource"]);
});

it("takes the region from the provider that a resource refers to", () => {
  const regions = reported(STATE).policies.find(({ policy }) => policy === "product-placement-regions");
  expect(regions).toMatchObject({ evaluated: 4, passed: 4 });
});

it("reads a preview by the states that it would lead to", () => {
  const [, , good, bad] = STATE.deployment.resources;
  const steps = [
    { op: "create", urn: good?.urn, newState: good },
    { op: "delete", urn: bad?.urn, oldState: bad },
  ];
  expect(reported({ steps })).toMatchObject({ from: "preview", resources: 1, blocks: false });
});

it.each([[{}], [[]], ["text"], [{ deployment: "none" }]])("understands nothing of %j", (document) => {
  expect(readSource(document)).toBeUndefined();
});

it("shows a table with the message of each violation and the reason of each exemption", () => {
  const text = table(reported(STATE), { all: false });
  expect(text).toMatch(
    /^aws-ebs-volume-encrypted +MUST +high +4 +1 +1 violated, 1 unknown, 1 exempt +CKV_AWS_3/m,
  );
  expect(text).toContain('aws:ebs/volume:Volume "bad": encrypted is false. Set encrypted to true.');
  expect(text).toContain("it holds nothing but noise");
  expect(text).toContain("An update of this stack would be blocked.");
  expect(text).not.toContain("kubernetes-pod");
});

it("does not stop on advice", () => {
  const [stack] = resourcesOf([]);
  const source = {
    stack: "staging",
    kind: "state" as const,
    byInputs: stack === undefined ? [] : [stack],
    byOutputs: [],
  };
  expect(reportOf(policies, source, context).blocks).toBe(false);
});
