// What keeps a binding from giving its role: for now, until somebody changes what is declared, or until the role is ready.
import { USERS_NAMESPACE } from "../../../api";
import { equal, type Informer } from "../../runtime";
import type { DeletionGuard } from "../../app/deletion-guard";
import type { RoleBindingObject, RoleObject } from "../kinds";
import { isTerminating, type Namespace } from "../native-resources";
import { conditionFalse, type ConditionState } from "../../app/status";
import { ceilingIn } from "./ceiling-source";
import { describeObjections, NO_CEILING } from "./escalation";
import { clusterRoleFor, objectionsToPlace, placeOf, type Place } from "./plan";
import type { ClusterRole } from "./rbac-resources";

/** What obstacles are found in. */
export interface ObstacleSources {
  roles: Informer<RoleObject>;
  clusterRoles: Informer<ClusterRole>;
  namespaces: Informer<Namespace>;
  roleGuard: DeletionGuard<RoleObject>;
}

/** Finds what keeps a binding from giving its role. */
export class BindingObstacles {
  constructor(private readonly sources: ObstacleSources) {}

  /** Where a binding gives its role. */
  place({ spec: { namespace } }: RoleBindingObject): Place {
    const found = namespace === undefined ? undefined : this.sources.namespaces.get(namespace);
    return placeOf(namespace, found?.metadata.labels);
  }

  /** Nobody knows what may be given: what is there stays as it is. */
  waiting({ spec: { role } }: RoleBindingObject): ConditionState | undefined {
    return ceilingIn(this.sources.clusterRoles) === undefined && this.#role(role) !== undefined
      ? conditionFalse("CeilingMissing", NO_CEILING)
      : undefined;
  }

  /** The role is not there, is refused, or cannot be given there: the binding gives nothing. */
  refusal(binding: RoleBindingObject): ConditionState | undefined {
    const { namespace, role: name } = binding.spec;
    const role = this.#role(name);
    if (role === undefined)
      return conditionFalse(
        "RoleMissing",
        `AuthorizationRole ${JSON.stringify(name)} does not exist: create it, or set spec.role to another.`,
      );
    const place = this.place(binding);
    if (place === "closed")
      return conditionFalse(
        "Refused",
        `The namespace ${USERS_NAMESPACE} holds the accounts of people, and no role is given in it: set spec.namespace to another.`,
      );
    const ceiling = ceilingIn(this.sources.clusterRoles);
    const objections = ceiling === undefined ? [] : objectionsToPlace(place, role, ceiling);
    if (objections.length > 0) return conditionFalse("Refused", describeObjections(objections));
    if (namespace === undefined) return undefined;
    const found = this.sources.namespaces.get(namespace);
    return found !== undefined && !isTerminating(found)
      ? undefined
      : conditionFalse(
          "NamespaceMissing",
          `Namespace ${JSON.stringify(namespace)} does not exist: create it, or set spec.namespace to another.`,
        );
  }

  /** The ClusterRole does not say yet what the role says: with an older one, more could be given than is declared. */
  pending({ spec: { role: name } }: RoleBindingObject): ConditionState | undefined {
    const { clusterRoles } = this.sources;
    const role = this.#role(name);
    const ceiling = ceilingIn(clusterRoles);
    if (role === undefined || ceiling === undefined) return undefined;
    const wanted = clusterRoleFor(role, ceiling);
    const live = clusterRoles.get(wanted.metadata.name);
    return live !== undefined && equal(live.rules ?? [], wanted.rules ?? [])
      ? undefined
      : conditionFalse(
          "RolePending",
          `The ClusterRole ${wanted.metadata.name} does not have the rules of the AuthorizationRole ${JSON.stringify(name)} yet: if that lasts, the conditions of the role say why.`,
        );
  }

  #role(name: string): RoleObject | undefined {
    const role = this.sources.roles.get(name);
    return role === undefined || this.sources.roleGuard.confirmsDeletion(role) ? undefined : role;
  }
}
