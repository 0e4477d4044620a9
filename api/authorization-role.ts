// The kind AuthorizationRole: a set of rights in the cluster.
import { z } from "zod";
import { commonStatus } from "./schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "./schema/kind";
import { listOf } from "./schema/list";
import { matching, withRule } from "./schema/rule";
import { text, textLike } from "./schema/text";

const subdomain = "[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?";

const policyRule = z.strictObject({
  apiGroups: listOf(
    withRule(
      text(253, 0),
      matching(
        `|[*]|${subdomain}`,
        `an API group must be "" for the core group, "*", or a DNS name such as apps: leave out the version`,
      ),
    ),
    32,
  )
    .optional()
    .describe('The API groups of `resources`; `""` is the core group.'),
  resources: listOf(
    textLike(
      253,
      "(?:[*]|[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)(?:/(?:[*]|[a-z0-9](?:[-a-z0-9]*[a-z0-9])?))?",
      "a resource must be a plural name in lower case such as pods, with a subresource if wanted as in pods/log",
    ),
    64,
  )
    .optional()
    .describe("The resources, in plural and lower case, such as `pods` or `pods/log`."),
  resourceNames: listOf(
    textLike(
      253,
      "[^/%\\x00-\\x20]+",
      `a resource name must be an object's name: without spaces, "/" and "%"`,
    ),
    64,
  )
    .optional()
    .describe("Names of single objects; without any, all objects are meant."),
  nonResourceURLs: listOf(
    textLike(
      253,
      "[*]|/[^*\\x00-\\x20]*[*]?",
      `a non-resource URL must be a path that begins with "/", with "*" only at its end, such as /metrics or /healthz/*`,
    ),
    32,
  )
    .optional()
    .describe("Paths of the API server that are no resources, such as `/metrics`."),
  verbs: listOf(
    textLike(63, "[*]|[a-z]+", `a verb must be "*" or one word in lower case such as get, list or watch`),
    32,
  )
    .min(1)
    .describe("What is allowed: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, …"),
});

type PolicyRuleShape = z.output<typeof policyRule>;
const has = (list: readonly string[] | undefined): boolean => (list ?? []).length > 0;
const given = (field: string): string => `(has(self.${field}) && size(self.${field}) > 0)`;

/** A rule of a role. */
export const authorizationRule = [
  {
    cel: `${given("resources")} != ${given("nonResourceURLs")}`,
    holds: (found: PolicyRuleShape) => has(found.resources) !== has(found.nonResourceURLs),
    message: "a rule must name either resources or nonResourceURLs, not both and not neither: make two rules",
    field: "resources",
  },
  {
    cel: `${given("resources")} == ${given("apiGroups")}`,
    holds: (found: PolicyRuleShape) => has(found.resources) === has(found.apiGroups),
    message: `a rule with resources must name their apiGroups, and one without must not: use [""] for the core group`,
    field: "apiGroups",
  },
  {
    cel: `!${given("nonResourceURLs")} || !${given("resourceNames")}`,
    holds: (found: PolicyRuleShape) => !has(found.nonResourceURLs) || !has(found.resourceNames),
    message: "a rule with nonResourceURLs must not have resourceNames: remove them",
    field: "resourceNames",
  },
].reduce((schema, each) => withRule(schema, each), policyRule);

/** The kind `AuthorizationRole`: what its holders may do. */
export const authorizationRole = defineKind({
  kind: "AuthorizationRole",
  plural: "authorizationroles",
  shortNames: ["fwrole"],
  summary: "A set of rights in the cluster, given to people by AuthorizationRoleBindings.",
  details: [
    "The coordinator keeps a ClusterRole with exactly these rules. The rules are those of Kubernetes' own RBAC.",
    "A role that would let its holder gain more rights than the product allows is refused by the coordinator with a condition that names the rule.",
  ],
  spec: z.strictObject({
    description: text(1024, 0).optional().describe("What the role is for."),
    rules: listOf(authorizationRule, 64)
      .min(1)
      .describe("What the role allows; a right that any rule gives is given."),
  }),
  status: z.strictObject({
    ...commonStatus(),
    clusterRole: text(253).optional().describe("The ClusterRole that stands for this role."),
  }),
  columns: [
    {
      name: "ClusterRole",
      type: "string",
      jsonPath: ".status.clusterRole",
      description: "The ClusterRole that stands for this role.",
    },
    {
      name: "Ready",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Ready')].status",
      description: "Whether the ClusterRole is in place.",
    },
    {
      name: "Description",
      type: "string",
      jsonPath: ".spec.description",
      description: "What the role is for.",
    },
  ],
  example: {
    metadata: { name: "deployer" },
    spec: {
      description: "May roll out applications.",
      rules: [
        {
          apiGroups: ["apps"],
          resources: ["deployments", "deployments/scale"],
          verbs: ["get", "list", "watch", "create", "update", "patch"],
        },
        { apiGroups: [""], resources: ["pods", "pods/log"], verbs: ["get", "list", "watch"] },
        { nonResourceURLs: ["/healthz/*"], verbs: ["get"] },
      ],
    },
  },
});

/** A set of rights in the cluster. */
export type AuthorizationRole = ObjectOf<typeof authorizationRole>;
/** The spec of an {@link AuthorizationRole} as it is written. */
export type AuthorizationRoleSpecInput = SpecInputOf<typeof authorizationRole>;
