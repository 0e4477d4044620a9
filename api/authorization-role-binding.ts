// The kind AuthorizationRoleBinding: grants a role to a person or a team.
import { z } from "zod";
import { USERS_NAMESPACE } from "./names";
import { commonStatus } from "./schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "./schema/kind";
import { withRule } from "./schema/rule";
import { dnsLabelName, objectName, teamName, text, textLike } from "./schema/text";

const spec = withRule(
  z.strictObject({
    user: withRule(
      textLike(
        253,
        "[A-Za-z0-9][A-Za-z0-9@._+:/#=-]*",
        `the user must be a user name as the API server sees it: letters, digits and "@._+:/#=-", beginning with a letter or digit`,
      ),
      {
        cel: `!self.startsWith("system:")`,
        holds: (name) => !name.startsWith("system:"),
        message: "the user must not begin with system:, which is Kubernetes' own: name a person",
      },
    )
      .optional()
      .describe("The person who gets the role, by the name that the API server sees."),
    team: teamName().optional().describe("The team whose members get the role."),
    role: objectName("the role").describe("The name of the AuthorizationRole."),
    namespace: withRule(dnsLabelName("the namespace"), {
      cel: `self != "${USERS_NAMESPACE}"`,
      holds: (namespace) => namespace !== USERS_NAMESPACE,
      message: `the namespace must not be ${USERS_NAMESPACE}, which holds the accounts of people and is closed: choose another`,
    })
      .optional()
      .describe("The namespace in which the role is given; without it, in the whole cluster."),
  }),
  {
    cel: "has(self.user) != has(self.team)",
    holds: ({ user, team }) => (user === undefined) !== (team === undefined),
    message:
      "a binding must name exactly one of user and team: give one, and make a second binding for the other",
    field: "user",
  },
);

/** The kind `AuthorizationRoleBinding`: who holds a role, and where. */
export const authorizationRoleBinding = defineKind({
  kind: "AuthorizationRoleBinding",
  plural: "authorizationrolebindings",
  shortNames: ["fwbinding"],
  summary: "Gives an AuthorizationRole to a person or a team, in one namespace or in all.",
  details: [
    "The coordinator keeps a RoleBinding in the namespace or, without one, a ClusterRoleBinding.",
    "The role need not exist yet: the binding takes effect when it does.",
  ],
  spec,
  status: z.strictObject({
    ...commonStatus(),
    binding: z
      .strictObject({
        kind: z.enum(["ClusterRoleBinding", "RoleBinding"]).describe("The kind of the native binding."),
        name: text(253).describe("Its name."),
        namespace: text(63).optional().describe("Its namespace, if it is a RoleBinding."),
      })
      .optional()
      .describe("The native binding that stands for this one."),
  }),
  columns: [
    { name: "Role", type: "string", jsonPath: ".spec.role", description: "The AuthorizationRole." },
    { name: "User", type: "string", jsonPath: ".spec.user", description: "The person." },
    { name: "Team", type: "string", jsonPath: ".spec.team", description: "The team." },
    {
      name: "Namespace",
      type: "string",
      jsonPath: ".spec.namespace",
      description: "Where; empty is everywhere.",
    },
    {
      name: "Ready",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Ready')].status",
      description: "Whether the native binding is in place.",
    },
  ],
  example: {
    metadata: { name: "platform-deploys-shop" },
    spec: { team: "platform", role: "deployer", namespace: "shop" },
  },
});

/** Gives a role to a person or a team. */
export type AuthorizationRoleBinding = ObjectOf<typeof authorizationRoleBinding>;
/** The spec of an {@link AuthorizationRoleBinding} as it is written. */
export type AuthorizationRoleBindingSpecInput = SpecInputOf<typeof authorizationRoleBinding>;
