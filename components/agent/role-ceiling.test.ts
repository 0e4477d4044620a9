// The ceiling of roles as it is declared, and the checks of what an administrator raises.
import { at } from "../../lib/json";
import { MockGraph } from "../testing/mock-graph";
import { RoleCeiling } from ".";
import { checkRoleCeiling } from "./role-ceiling-problems";

const SECRETS = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };

test("two ClusterRoles are declared, one for namespaces and a smaller one for the whole cluster, and the policies behind them", async () => {
  const graph = await MockGraph.of(() => new RoleCeiling("ceiling", { namespaces: [SECRETS] }));
  const roles = graph
    .all("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")
    .sort((a, b) => a.name.localeCompare(b.name));
  expect(roles.map(({ inputs }) => at(inputs, "metadata", "name"))).toEqual([
    "fleetwright-authorization-ceiling",
    "fleetwright-authorization-cluster-ceiling",
  ]);
  const [namespaces, cluster] = roles.map(({ inputs }) => JSON.stringify(inputs.rules));
  expect([namespaces?.includes('"secrets"'), cluster?.includes('"secrets"')]).toEqual([true, false]);
  expect([namespaces?.includes('"pods/exec"'), cluster?.includes('"pods/exec"')]).toEqual([true, false]);
  const policies = graph.all("kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy");
  expect(policies.map(({ inputs }) => at(inputs, "metadata", "name")).sort()).toEqual([
    "fleetwright-authorization-places",
    "fleetwright-authorization-writes",
    "fleetwright-coordinator-secrets",
    "fleetwright-external-ips",
    "fleetwright-protected-namespaces",
  ]);
  expect(new Set(policies.map(({ inputs }) => at(inputs, "spec", "failurePolicy")))).toEqual(
    new Set(["Fail"]),
  );
});

test("no rule of the ceiling is of a wildcard, but for paths of the server, and none gives escalate or bind", async () => {
  const graph = await MockGraph.of(() => new RoleCeiling("ceiling"));
  for (const { inputs } of graph.all("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")) {
    const rules = inputs.rules as { nonResourceURLs?: string[]; verbs: string[] }[];
    const named = rules.filter(({ nonResourceURLs }) => nonResourceURLs === undefined);
    expect(JSON.stringify(named)).not.toMatch(/"\*|"escalate"|"bind"|"impersonate"|"secrets"/);
  }
});

test.each<[string, object, RegExp]>([
  ["every verb", { ...SECRETS, verbs: ["*"] }, /^cluster\[0\]\.verbs\[0\]: found "\*": name the verbs/],
  ["escalate", { ...SECRETS, verbs: ["get", "escalate"] }, /^cluster\[0\]\.verbs\[1\]: .*remove it/],
  ["bind", { ...SECRETS, verbs: ["bind"] }, /^cluster\[0\]\.verbs\[0\]: .*remove it/],
  ["no resource", { verbs: ["get"] }, /^cluster\[0\]\.resources: .*must name either resources/],
  [
    "a misspelt key",
    { ...SECRETS, verb: ["get"] },
    /^cluster\[0\]\.verb: unknown setting: did you mean verbs/,
  ],
])("a raise by %s is refused with the way out", (_what, rule, words) => {
  const checked = checkRoleCeiling({ cluster: [rule as never] });
  expect(checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    expect.stringMatching(words),
  ]);
});
