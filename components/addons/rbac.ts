import * as pulumi from "@pulumi/pulumi";
import { type Problem, refuseProblems } from "../cluster/problem";
import {
  declare,
  nameProblems,
  specProblems,
  without,
  type DeclarationTransform,
  type Labels,
} from "./declaration";

/** A rule of Kubernetes' own RBAC. */
export interface RuleArgs {
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs: string[];
}

/** A set of rights. */
export interface RoleArgs {
  name: string;
  description?: string;
  rules: RuleArgs[];
}

/** Gives a role to a person or a team. */
export interface BindingArgs {
  /** @default made of who, role and namespace */
  name?: string;
  /** The role's name. */
  role: string;
  /** The person, by the name that the API server sees; or else a team. */
  user?: string;
  /** The team; or else a person. */
  team?: string;
  /** @default the whole cluster */
  namespace?: string;
}

/** The arguments of `Rbac`. */
export interface RbacArgs {
  /** @default [] */
  roles?: RoleArgs[];
  /** @default [] */
  bindings?: BindingArgs[];
  /** Labels for every object. @default {} */
  labels?: Labels;
}

/** The options of `Rbac`. */
export interface RbacOptions extends pulumi.ComponentResourceOptions {
  transform?: { role?: DeclarationTransform; binding?: DeclarationTransform };
}

/**
 * Who may do what in a cluster.
 *
 * @example
 * new Rbac("rbac", {
 *   roles: [{ name: "viewer", rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }] }],
 *   bindings: [{ role: "viewer", team: "support" }],
 * });
 */
export class Rbac extends pulumi.ComponentResource {
  constructor(name: string, args: RbacArgs, opts: RbacOptions = {}) {
    refuseProblems("Roles and bindings", rbacProblems(args), opts.parent);
    super("fleetwright:index:Rbac", name, args, opts);
    const { roles = [], bindings = [], labels } = args;
    for (const role of roles) {
      const declaration = {
        kind: "AuthorizationRole",
        name: role.name,
        spec: without(role, "name"),
      } as const;
      declare(this, `${name}-role-${role.name}`, declaration, labels, opts.transform?.role);
    }
    for (const binding of bindings) {
      const spec = without(binding, "name");
      const declaration = { kind: "AuthorizationRoleBinding", name: bindingName(binding), spec } as const;
      declare(this, `${name}-binding-${declaration.name}`, declaration, labels, opts.transform?.binding);
    }
    this.registerOutputs({});
  }
}

/** All that is wrong with roles and bindings. */
export function rbacProblems({ roles = [], bindings = [] }: RbacArgs): Problem[] {
  return [
    ...nameProblems(
      "roles",
      roles.map(({ name }) => name),
    ),
    ...roles.flatMap((role, index) =>
      specProblems("AuthorizationRole", `roles[${index}]`, without(role, "name")),
    ),
    ...nameProblems("bindings", bindings.map(bindingName)),
    ...bindings.flatMap((binding, index) =>
      specProblems("AuthorizationRoleBinding", `bindings[${index}]`, without(binding, "name")),
    ),
  ];
}

function bindingName({ name, user, team, role, namespace }: BindingArgs): string {
  if (name !== undefined) return name;
  const words = [user ?? team, role, namespace].filter((word) => word !== undefined);
  return words
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
}
