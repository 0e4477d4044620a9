import * as pulumi from "@pulumi/pulumi";
import { assertNoProblems } from "../problem";
import { withoutTransform } from "../transform";
import type { BindingArgs, RoleArgs } from "./args";
import { declare, type DeclarationTransform, type Labels } from "./declaration";
import { bindingName, rbacProblems, without } from "./problems";

/** The arguments of `Rbac`. */
export interface RbacArgs {
  /** @default [] */
  roles?: RoleArgs[];
  /** @default [] */
  bindings?: BindingArgs[];
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
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
  constructor(name: string, args: RbacArgs, opts: pulumi.ComponentResourceOptions = {}) {
    assertNoProblems("roles and bindings", rbacProblems(args), opts.parent);
    super("fleetwright:index:Rbac", name, withoutTransform(args), opts);
    const { roles = [], bindings = [], labels, transform = {} } = args;
    for (const role of roles) {
      const declaration = {
        kind: "AuthorizationRole",
        name: role.name,
        spec: without(role, "name"),
      } as const;
      declare(this, `${name}-role-${role.name}`, declaration, labels, transform.role);
    }
    for (const binding of bindings) {
      const spec = without(binding, "name");
      const declaration = { kind: "AuthorizationRoleBinding", name: bindingName(binding), spec } as const;
      declare(this, `${name}-binding-${declaration.name}`, declaration, labels, transform.binding);
    }
    this.registerOutputs({});
  }
}
