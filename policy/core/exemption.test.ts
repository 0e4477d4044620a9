import { covers, type Exemption, readExemptions } from "./exemption";
import type { Finding } from "./property";

const TODAY = "2026-11-17";
const given: Exemption = {
  policy: "kubernetes-pod-no-host-path",
  resource: "kubernetes:apps/v1:DaemonSet::fleetwright-agent",
  reason: "the agent writes the files of the node",
  expires: "2027-06-30",
};
const finding = (name: string, found = "/etc", type = "kubernetes:apps/v1:DaemonSet"): Finding => ({
  kind: "violation",
  urn: `urn:pulumi:dev::fleetwright::fleetwright:index:Agent$${type}::${name}`,
  property: "spec.template.spec.volumes[0].hostPath.path",
  found,
  fix: "",
});

it.each([
  ["the resource it names", given, finding("fleetwright-agent"), true],
  ["one of another name", given, finding("fleetwright-agent-2"), false],
  [
    "one of another type",
    given,
    finding("fleetwright-agent", "/etc", "kubernetes:apps/v1:Deployment"),
    false,
  ],
  [
    "names that its pattern is like",
    { ...given, resource: "kubernetes:apps/v1:DaemonSet::*-agent" },
    finding("my-agent"),
    true,
  ],
  [
    "what a pattern means literally otherwise",
    { ...given, resource: "kubernetes:apps/v1:DaemonSet::a.c" },
    finding("abc"),
    false,
  ],
  [
    "a value that it allows",
    { ...given, values: ["/etc", "/root/.ssh"] },
    finding("fleetwright-agent"),
    true,
  ],
  [
    "a value that it does not allow",
    { ...given, values: ["/etc"] },
    finding("fleetwright-agent", "/"),
    false,
  ],
  ["a text that it allows", { ...given, values: ["x"] }, finding("fleetwright-agent", '"x"'), true],
  [
    "a place that it allows",
    { ...given, properties: ["spec.template.spec.volumes[0].hostPath.path"] },
    finding("fleetwright-agent"),
    true,
  ],
  [
    "a place that it does not allow",
    { ...given, properties: ["spec.template.spec.hostPID"] },
    finding("fleetwright-agent"),
    false,
  ],
  [
    "another policy",
    { ...given, policy: "kubernetes-pod-no-host-port" },
    finding("fleetwright-agent"),
    false,
  ],
])("covers, or not: %s", (_, exemption, found, expected) => {
  expect(covers(exemption, "kubernetes-pod-no-host-path", found)).toBe(expected);
});

it.each([
  ["no list", { policy: "a" }, /is not a list/],
  [
    "an entry without a reason",
    [{ ...given, reason: undefined }],
    /policy, resource, reason and expires have to be strings/,
  ],
  ["a reason that says nothing", [{ ...given, reason: "because" }], /reason is too short/],
  ["no day", [{ ...given, expires: "soon" }], /expires is "soon"/],
  ["a day that is too far", [{ ...given, expires: "2030-01-01" }], /more than 400 days ahead/],
  [
    "every resource of a type",
    [{ ...given, resource: "kubernetes:apps/v1:DaemonSet::*" }],
    /matches every resource of the type/,
  ],
  ["a type with a star", [{ ...given, resource: "kubernetes:*:DaemonSet::x" }], /use type::name/],
  ["an empty list, which would exempt nothing", [{ ...given, values: [] }], /lists of strings/],
  ["a field that nobody reads", [{ ...given, untill: "2027" }], /unknown key untill/],
])("refuses %s", (_, entries, problem) => {
  const { exemptions, errors } = readExemptions(entries, TODAY);
  expect(exemptions).toEqual([]);
  expect(errors.map((one) => one.message).join("\n")).toMatch(problem);
});

it("reads what is well written, also what is over", () => {
  const over = { ...given, expires: "2026-01-01" };
  expect(readExemptions([given, over], TODAY)).toEqual({ exemptions: [given, over], errors: [] });
  expect(readExemptions(undefined, TODAY)).toEqual({ exemptions: [], errors: [] });
});
