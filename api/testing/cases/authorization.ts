import { bad, type Cases } from "./case";

const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const rule = (it: string, value: unknown, says: string, field = "") =>
  bad(it, "spec.rules", [value], says, `spec.rules[0]${field}`);

/** What both validators must say of AuthorizationRoles. */
export const authorizationRoleCases: Cases = {
  base: { rules: [pods] },
  valid: [
    ["everything", { rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] }],
    [
      "any subresource",
      { rules: [{ apiGroups: ["apps"], resources: ["*/scale", "pods/*"], verbs: ["patch"] }] },
    ],
    ["single objects", { rules: [{ ...pods, resourceNames: ["a", "system:b", "c.d"] }] }],
    ["all paths", { rules: [{ nonResourceURLs: ["*", "/", "/healthz/*"], verbs: ["get"] }] }],
    ["empty lists", { rules: [{ ...pods, resourceNames: [], nonResourceURLs: [] }], description: "" }],
    ["a group with dots", { rules: [{ ...pods, apiGroups: ["fleetwright.dev"], resources: ["users"] }] }],
  ],
  malformed: [
    bad("no spec", "spec", undefined, "Required value"),
    bad("no rules", "spec.rules", undefined, "Required value"),
    bad("an empty list of rules", "spec.rules", [], "at least 1 items"),
    bad("rules as an object", "spec.rules", {}, "must be of type array"),
    bad("65 rules", "spec.rules", Array<unknown>(65).fill(pods), "Too many"),
    bad("an unknown field", "spec.subjects", ["jane"], "unknown field"),
    bad("a description that is too long", "spec.description", "a".repeat(1025), "Too long"),
    rule("a rule that is text", "get pods", "must be of type object"),
    rule("an unknown field in a rule", { ...pods, type: "kubernetes" }, "unknown field", ".type"),
    rule("an underscore in a field's name", { ...pods, api_groups: [""] }, "unknown field", ".api_groups"),
    rule("no verbs", { apiGroups: [""], resources: ["pods"] }, "Required value", ".verbs"),
    rule("an empty list of verbs", { ...pods, verbs: [] }, "at least 1 items", ".verbs"),
    rule("a verb in capitals", { ...pods, verbs: ["GET"] }, "a verb must be", ".verbs[0]"),
    rule("two verbs in one", { ...pods, verbs: ["get,list"] }, "a verb must be", ".verbs[0]"),
    rule("an empty verb", { ...pods, verbs: [""] }, "at least 1 chars", ".verbs[0]"),
    rule("a verb with a star", { ...pods, verbs: ["get*"] }, "a verb must be", ".verbs[0]"),
    rule("a verb that is a number", { ...pods, verbs: [1] }, "must be of type string", ".verbs[0]"),
    rule("33 verbs", { ...pods, verbs: Array<string>(33).fill("get") }, "Too many", ".verbs"),
    rule(
      "no resources",
      { apiGroups: [""], verbs: ["get"] },
      "either resources or nonResourceURLs",
      ".resources",
    ),
    rule("no groups", { resources: ["pods"], verbs: ["get"] }, "must name their apiGroups", ".apiGroups"),
    rule("an empty list of groups", { ...pods, apiGroups: [] }, "must name their apiGroups", ".apiGroups"),
    rule(
      "a group with a version",
      { ...pods, apiGroups: ["apps/v1"] },
      "leave out the version",
      ".apiGroups[0]",
    ),
    rule("a group in capitals", { ...pods, apiGroups: ["Apps"] }, "an API group must be", ".apiGroups[0]"),
    rule("a group as text", { ...pods, apiGroups: "apps" }, "must be of type array", ".apiGroups"),
    rule(
      "a kind as resource",
      { ...pods, resources: ["Pod"] },
      "a plural name in lower case",
      ".resources[0]",
    ),
    rule("an empty resource", { ...pods, resources: [""] }, "at least 1 chars", ".resources[0]"),
    rule("two subresources", { ...pods, resources: ["a/b/c"] }, "with a subresource", ".resources[0]"),
    rule("a resource with a space", { ...pods, resources: ["pods log"] }, "a plural name", ".resources[0]"),
    rule("a name with a slash", { ...pods, resourceNames: ["a/b"] }, "an object's name", ".resourceNames[0]"),
    rule("an empty name", { ...pods, resourceNames: [""] }, "at least 1 chars", ".resourceNames[0]"),
    rule("resources and paths", { ...pods, nonResourceURLs: ["/a"] }, "not both", ".resources"),
    rule(
      "a path without slash",
      { nonResourceURLs: ["metrics"], verbs: ["get"] },
      'begins with "/"',
      ".nonResourceURLs[0]",
    ),
    rule(
      "a star inside a path",
      { nonResourceURLs: ["/a/*/b"], verbs: ["get"] },
      "only at its end",
      ".nonResourceURLs[0]",
    ),
    rule(
      "names for paths",
      { nonResourceURLs: ["/a"], resourceNames: ["b"], verbs: ["get"] },
      "must not have resourceNames",
      ".resourceNames",
    ),
    rule(
      "groups for paths",
      { nonResourceURLs: ["/a"], apiGroups: [""], verbs: ["get"] },
      "must name their apiGroups",
      ".apiGroups",
    ),
  ],
};

const user = (it: string, value: unknown, says: string) => bad(`user: ${it}`, "spec.user", value, says);
const team = (it: string, value: unknown, says: string) =>
  ({
    it: `team: ${it}`,
    set: { "spec.user": undefined, "spec.team": value },
    says,
    at: "spec.team",
  }) as const;
const role = (it: string, value: unknown, says: string) => bad(`role: ${it}`, "spec.role", value, says);
const namespace = (it: string, value: unknown, says: string) =>
  bad(`namespace: ${it}`, "spec.namespace", value, says);

/** What both validators must say of AuthorizationRoleBindings. */
export const authorizationRoleBindingCases: Cases = {
  base: { user: "jane@example.com", role: "deployer", namespace: "shop" },
  valid: [
    ["a team everywhere", { team: "platform", role: "deployer" }],
    ["a user of an identity provider", { user: "oidc:https://id.example.com#jane", role: "a.b-c" }],
  ],
  malformed: [
    bad("no spec", "spec", undefined, "Required value"),
    bad("an unknown field", "spec.cluster", "a", "unknown field"),
    bad("a list of users", "spec.users", ["jane"], "unknown field"),
    bad("neither user nor team", "spec.user", undefined, "exactly one of user and team"),
    bad("both user and team", "spec.team", "platform", "exactly one of user and team", "spec.user"),
    user("empty", "", "at least 1 chars"),
    user("a space", "jane doe", "must be a user name"),
    user("a line break", "jane\n", "must be a user name"),
    user("a hyphen first", "-jane", "must be a user name"),
    user("a Cyrillic look-alike", "jаne", "must be a user name"),
    user("quotation marks", '"jane"', "must be a user name"),
    user("Kubernetes' own", "system:admin", "must not begin with system:"),
    user("a service account", "system:serviceaccount:a:b", "must not begin with system:"),
    user("too long", "a".repeat(254), "Too long"),
    user("a number", 1, "must be of type string"),
    team("empty", "", "at least 1 chars"),
    team("Kubernetes' own group", "system:masters", "must be a DNS label"),
    team("a capital letter", "Platform", "must be a DNS label"),
    team("a dot", "a.b", "must be a DNS label"),
    team("a space", "a b", "must be a DNS label"),
    team("too long", "a".repeat(64), "Too long"),
    team("a list", ["a"], "must be of type string"),
    role("none", undefined, "Required value"),
    role("empty", "", "at least 1 chars"),
    role("a capital letter", "Deployer", "must be an object's name"),
    role("a colon", "system:node", "must be an object's name"),
    role("a slash", "a/b", "must be an object's name"),
    role("too long", "a".repeat(254), "Too long"),
    role("an object", {}, "must be of type string"),
    namespace("empty", "", "at least 1 chars"),
    namespace("a star", "*", "must be a DNS label"),
    namespace("a dot", "a.b", "must be a DNS label"),
    namespace("a capital letter", "Shop", "must be a DNS label"),
    namespace("too long", "a".repeat(64), "Too long"),
    namespace(
      "that of people's accounts",
      "fleetwright-users",
      "the namespace must not be fleetwright-users",
    ),
    namespace("a boolean", true, "must be of type string"),
  ],
};
