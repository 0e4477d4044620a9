// What of a role is beyond the ceiling, and how that is said.
import { ceilingRules, CLUSTER_CEILING, NAMESPACE_CEILING, type RaisedCeiling } from "../../../api";
import { describeObjections, objectionsTo, type Ceiling, type Rule } from "./escalation";
import { POWERS_ABOVE } from "./testing/powers";

const rule = (group: string, resource: string, ...verbs: string[]): Rule => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
});
const ceilingWith = (raised: RaisedCeiling): Ceiling => {
  const rules = ceilingRules(raised);
  return { namespaces: rules[NAMESPACE_CEILING] ?? [], cluster: rules[CLUSTER_CEILING] ?? [] };
};
const CEILING = ceilingWith({});

test.each<[string, Rule]>([
  ["reading and deleting deployments", rule("apps", "deployments", "get", "list", "watch", "delete")],
  ["scaling", rule("apps", "deployments/scale", "update", "patch")],
  ["pods and their logs", { apiGroups: [""], resources: ["pods", "pods/log"], verbs: ["get", "list"] }],
  ["evicting", rule("", "pods/eviction", "create")],
  ["reading our kinds", rule("fleetwright.dev", "plugins", "get", "list", "watch")],
  ["seeing nodes", rule("", "nodes", "get", "list", "watch")],
  ["seeing who may do what", rule("rbac.authorization.k8s.io", "clusterroles", "get", "list", "watch")],
  ["one ConfigMap by its name", { ...rule("", "configmaps", "patch"), resourceNames: ["a"] }],
  ["paths of the server", { nonResourceURLs: ["/metrics", "/healthz/*", "/apis"], verbs: ["get"] }],
])("%s may be given anywhere", (_what, given) => {
  expect(objectionsTo([given], CEILING)).toEqual([]);
});

test.each<[string, Rule]>([
  ["deployments", rule("apps", "deployments", "create", "update", "patch")],
  ["pods", rule("", "pods", "create")],
  ["jobs", rule("batch", "jobs", "patch")],
  ["a shell in pods", rule("", "pods/exec", "create")],
  ["a shell in one pod by its name", { ...rule("", "pods/exec", "create"), resourceNames: ["a"] }],
  ["a port of a pod", rule("", "pods/portforward", "create")],
  ["service accounts", rule("", "serviceaccounts", "create", "delete")],
])("%s may be given in a namespace only", (_what, given) => {
  expect(objectionsTo([given], CEILING).map(({ where }) => where)).toEqual(["cluster"]);
});

test.each(POWERS_ABOVE)("$what may be given nowhere, and it is said why", ({ rules, right, why }) => {
  const objections = objectionsTo([rule("apps", "deployments", "get"), ...rules], CEILING).filter(
    ({ where }) => where === "anywhere",
  );
  expect(objections.map((objection) => objection.right)).toContain(right);
  expect(objections[0]?.path).toBe("spec.rules[1]");
  expect(describeObjections(objections)).toMatch(why);
  expect(describeObjections(objections)).toContain("fleetwright:roleCeiling");
});

test("wildcards are beyond, however harmless what they cover today", () => {
  for (const given of [
    rule("apps", "*", "get"),
    rule("*", "pods", "get"),
    rule("apps", "deployments", "*"),
    rule("*", "*/scale", "update"),
    { nonResourceURLs: ["*"], verbs: ["get"] },
  ])
    expect(objectionsTo([given], CEILING)).not.toEqual([]);
});

test("what an administrator raises may be given: everywhere, or in namespaces only", () => {
  const secrets = rule("", "secrets", "get", "create");
  const raised = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "create"] }];
  expect(objectionsTo([secrets], ceilingWith({ cluster: raised }))).toEqual([]);
  expect(objectionsTo([secrets], ceilingWith({ namespaces: raised })).map(({ where }) => where)).toEqual([
    "cluster",
  ]);
  const one = [{ ...secrets, resourceNames: ["a", "b"] }];
  const named = [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["a"], verbs: ["get", "create"] }];
  expect(objectionsTo(one, ceilingWith({ cluster: named }))).toHaveLength(1);
});

test("a refusal names the rule, the right, the danger and the way out", () => {
  expect(describeObjections(objectionsTo([rule("", "users", "impersonate")], CEILING))).toBe(
    "The role goes beyond what Fleetwright allows: spec.rules[0] allows impersonate on users, which lets its holder act as anyone. Name the verbs and resources that are needed instead, or have an administrator raise the ceiling by the setting fleetwright:roleCeiling.namespaces or .cluster.",
  );
});

test("a refusal of a place says where the role may be given; one of many things shows the first", () => {
  expect(describeObjections(objectionsTo([rule("", "pods/exec", "create")], CEILING))).toMatch(
    /, bind the role in single namespaces that are not protected, or have an administrator raise the ceiling by the setting fleetwright:roleCeiling\.cluster\.$/,
  );
  const many = Array.from({ length: 12 }, (_, index) => rule("example.com", `things${index}`, "get"));
  expect(describeObjections(objectionsTo(many, CEILING))).toMatch(
    /which is not among what roles may give; and 4 more\. Name the verbs/,
  );
});
