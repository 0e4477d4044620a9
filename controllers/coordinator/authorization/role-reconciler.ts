// Reconciles AuthorizationRoles into ClusterRoles.
import { GROUP } from "../../../api";
import {
  Finalizer,
  type ApiClient,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import type { DeletionGuard } from "../deletion-guard";
import { ROLES, type RoleObject } from "../kinds";
import { deleteOwn, isOwn, keepOwn } from "../ownership";
import { conditionFalse, StatusWriter } from "../status";
import { clusterRoleFor, CONTROLLER, nativeName } from "./plan";
import { CLUSTER_ROLES, type ClusterRole } from "./rbac-resources";
import { roleCondition } from "./status";

/** Keeps the ClusterRole of one AuthorizationRole. */
export class RoleReconciler {
  readonly #client: ApiClient;
  readonly #roles: Informer<RoleObject>;
  readonly #clusterRoles: Informer<ClusterRole>;
  readonly #guard: DeletionGuard<RoleObject>;
  readonly #status;
  readonly #finalizer: Finalizer<RoleObject>;

  constructor(
    client: ApiClient,
    roles: Informer<RoleObject>,
    clusterRoles: Informer<ClusterRole>,
    guard: DeletionGuard<RoleObject>,
  ) {
    this.#client = client;
    this.#roles = roles;
    this.#clusterRoles = clusterRoles;
    this.#guard = guard;
    this.#status = new StatusWriter(client, ROLES, CONTROLLER);
    this.#finalizer = new Finalizer(client, ROLES, `${GROUP}/${CONTROLLER}`, [
      {
        name: "ClusterRole",
        run: async ({ metadata }, signal) => {
          const live = clusterRoles.get(nativeName(metadata.name));
          if (live !== undefined && isOwn(live, CONTROLLER))
            await deleteOwn(client, CLUSTER_ROLES, live, CONTROLLER, signal);
          return "done";
        },
      },
    ]);
  }

  async reconcile(name: string, { signal }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const role = this.#roles.get(name);
    if (role === undefined) {
      this.#status.forget(name);
      return undefined;
    }
    if (this.#guard.confirmsDeletion(role)) {
      const end = await this.#finalizer.finalize(role, signal);
      return end.finished ? undefined : end.result;
    }
    await this.#finalizer.ensure(role, signal);
    const object = clusterRoleFor(role);
    const live = this.#clusterRoles.get(object.metadata.name);
    const kept = await keepOwn(
      this.#client,
      { resource: CLUSTER_ROLES, object, live, controller: CONTROLLER },
      signal,
    );
    const Ready = this.#guard.holdsBack(role)
      ? conditionFalse("MassDeletion", this.#guard.message)
      : roleCondition(role, object.metadata.name, kept === "foreign");
    await this.#status.write(role, { Ready }, { clusterRole: object.metadata.name }, signal);
    return undefined;
  }
}
