import { describeObjections, objectionsTo, type Rule } from "./escalation";

const rule = (group: string, resource: string, ...verbs: string[]): Rule => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
});

test.each<[string, Rule]>([
  ["reading and deleting deployments", rule("apps", "deployments", "get", "list", "watch", "delete")],
  ["pods and their logs", rule("", "pods/log", "get")],
  ["role bindings, which the API server guards", rule("rbac.authorization.k8s.io", "rolebindings", "create")],
  ["our labels", rule("fleetwright.dev", "clusterlabels", "create", "delete")],
  ["reading our kinds", rule("fleetwright.dev", "*", "get", "list", "watch")],
  ["every group's scale", rule("*", "*/scale", "update")],
  ["one secret by its name", { ...rule("", "secrets", "get"), resourceNames: ["a"] }],
  ["paths of the server", { nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  ["writing secrets", rule("", "secrets", "create", "update")],
])("%s may be given anywhere", (_what, given) => {
  expect(objectionsTo([given])).toEqual([]);
});

test.each<[string, Rule, string]>([
  ["everything", rule("*", "*", "*"), "escalate on roles.rbac.authorization.k8s.io"],
  [
    "all verbs on cluster roles",
    rule("rbac.authorization.k8s.io", "clusterroles", "*"),
    "bind on clusterroles.rbac.authorization.k8s.io",
  ],
  ["impersonation", rule("", "users", "impersonate"), "impersonate on users"],
  ["everything of the core group", rule("", "*", "*"), "impersonate on users"],
  ["the kubelet", rule("", "nodes/proxy", "get"), "get on nodes/proxy"],
  ["the kubelet by a pattern", rule("", "nodes/*", "get"), "get on nodes/proxy"],
  ["every proxy", rule("*", "*/proxy", "create"), "create on nodes/proxy"],
  [
    "approving certificates",
    rule("certificates.k8s.io", "certificatesigningrequests/approval", "update"),
    "update on certificatesigningrequests/approval.certificates.k8s.io",
  ],
  [
    "our own roles",
    rule("fleetwright.dev", "authorizationroles", "patch"),
    "patch on authorizationroles.fleetwright.dev",
  ],
  ["plugins", rule("fleetwright.dev", "plugins", "create"), "create on plugins.fleetwright.dev"],
  ["logins", rule("fleetwright.dev", "*", "update"), "update on users.fleetwright.dev"],
  [
    "one role by its name",
    { ...rule("rbac.authorization.k8s.io", "clusterroles", "bind"), resourceNames: ["cluster-admin"] },
    "bind on clusterroles.rbac.authorization.k8s.io",
  ],
])("%s may be given nowhere", (_what, given, right) => {
  const objections = objectionsTo([rule("apps", "deployments", "get"), given]).filter(
    ({ where }) => where === "anywhere",
  );
  expect(objections.map((objection) => objection.right)).toContain(right);
  expect(new Set(objections.map(({ path }) => path))).toEqual(new Set(["spec.rules[1]"]));
});

test.each<[string, Rule]>([
  ["reading all secrets", rule("", "secrets", "list")],
  [
    "one secret by a watch, whose name others choose",
    { ...rule("", "secrets", "watch"), resourceNames: ["a"] },
  ],
  ["tokens", rule("", "serviceaccounts/token", "create")],
  [
    "tokens of one account by its name",
    { ...rule("", "serviceaccounts/token", "create"), resourceNames: ["fleetwright-coordinator"] },
  ],
  ["deployments", rule("apps", "deployments", "*")],
  ["pods", rule("", "pods", "create")],
  ["jobs", rule("batch", "jobs", "patch")],
  ["a shell in pods", rule("", "pods/exec", "create")],
  ["a shell in one pod by its name", { ...rule("", "pods/exec", "create"), resourceNames: ["a"] }],
])("%s may be given in a namespace only", (_what, given) => {
  expect(objectionsTo([given]).map(({ where }) => where)).toEqual(["cluster"]);
});

test("a refusal names the rule, the right, the danger and the way out", () => {
  expect(describeObjections(objectionsTo([rule("", "users", "impersonate")]))).toBe(
    "The role goes beyond what Fleetwright allows: spec.rules[0] allows impersonate on users, which lets its holder act as anyone. Name the verbs and resources that are needed instead.",
  );
});

test("a refusal of a place says where the role may be given; one of many things shows the first", () => {
  expect(describeObjections(objectionsTo([rule("", "pods/exec", "create")]))).toMatch(
    /or bind the role in single namespaces other than kube-system and Fleetwright's own\.$/,
  );
  expect(describeObjections(objectionsTo([rule("*", "*", "*")]))).toMatch(
    /; and [0-9]+ more\. Name the verbs and resources that are needed instead\.$/,
  );
});
