// Reconciles AuthorizationRoles into ClusterRoles.
import { GROUP } from "../../../api";
import {
  Finalizer,
  type ApiClient,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import type { DeletionGuard } from "../../app/deletion-guard";
import { ROLES, type RoleObject } from "../kinds";
import { deleteOwn, isOwn, keepOwn, type Kept } from "../../app/ownership";
import { conditionFalse, StatusWriter, type ConditionState } from "../../app/status";
import type { BindingReconciler } from "./binding-reconciler";
import { ceilingIn } from "./ceiling-source";
import { NO_CEILING } from "./escalation";
import type { KeyedMutex } from "../../../lib/keyed-mutex";
import { clusterRoleFor, CONTROLLER, givesMore, nativeName } from "./plan";
import { CLUSTER_ROLES, type ClusterRole } from "./rbac-resources";
import { isAccountRefusal, RefusalPace, refusalOf } from "./refusal";
import { roleCondition } from "./status";

/** What the reconciler of roles reads and uses. */
export interface RoleSources {
  roles: Informer<RoleObject>;
  clusterRoles: Informer<ClusterRole>;
  guard: DeletionGuard<RoleObject>;
  /** Whose bindings give no more than they should before a role gives more. */
  bindings: BindingReconciler;
  locks: KeyedMutex;
}

/** Keeps the ClusterRole of one AuthorizationRole. */
export class RoleReconciler {
  readonly #writer: ApiClient;
  readonly #sources: RoleSources;
  readonly #status;
  readonly #finalizer: Finalizer<RoleObject>;
  readonly #pace = new RefusalPace();

  /** `client` writes our own objects; `writer` the native ones, with the rights of an account that holds the ceiling. */
  constructor(client: ApiClient, writer: ApiClient, sources: RoleSources) {
    this.#writer = writer;
    this.#sources = sources;
    this.#status = new StatusWriter(client, ROLES, CONTROLLER);
    this.#finalizer = new Finalizer(client, ROLES, `${GROUP}/${CONTROLLER}`, [
      {
        name: "ClusterRole",
        run: async ({ metadata }, signal) => {
          const live = sources.clusterRoles.get(nativeName(metadata.name));
          if (live !== undefined && isOwn(live, CONTROLLER))
            await deleteOwn(writer, CLUSTER_ROLES, live, CONTROLLER, signal);
          return "done";
        },
      },
    ]);
  }

  async reconcile(name: string, { signal }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { roles, guard, locks } = this.#sources;
    const role = roles.get(name);
    if (role === undefined) {
      this.#status.forget(name);
      this.#pace.forget(name);
      return undefined;
    }
    if (guard.confirmsDeletion(role)) {
      const end = await this.#finalizer.finalize(role, signal);
      return end.finished ? undefined : end.result;
    }
    await this.#finalizer.ensure(role, signal);
    return locks.runExclusive(name, async () => {
      // As it is now that nobody else works for it.
      const latest = roles.get(name);
      return latest === undefined ? undefined : this.#keep(latest, signal);
    });
  }

  async #keep(role: RoleObject, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { clusterRoles, guard } = this.#sources;
    const { name } = role.metadata;
    const clusterRole = nativeName(name);
    const report = async (condition: ConditionState): Promise<void> => {
      const Ready = guard.holdsBack(role) ? conditionFalse("MassDeletion", guard.message) : condition;
      await this.#status.write(role, { Ready }, { clusterRole }, signal);
    };
    const ceiling = ceilingIn(clusterRoles);
    if (ceiling === undefined) {
      await report(conditionFalse("CeilingMissing", NO_CEILING));
      return undefined;
    }
    const object = clusterRoleFor(role, ceiling);
    try {
      const kept = await this.#write(role, object, signal);
      this.#pace.forget(name);
      await report(roleCondition(role, ceiling, clusterRole, kept === "foreign"));
      return undefined;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      // What it gave before is not what is declared now: until it may give that, it gives nothing.
      if (!isAccountRefusal(error)) await this.#write(role, { ...object, rules: [] }, signal);
      await report(refusal);
      return { requeueAfterMs: this.#pace.next(name) };
    }
  }

  /** Bindings narrow before their role widens: between the two, nobody has more than what is declared now. */
  async #write(role: RoleObject, object: ClusterRole, signal: AbortSignal): Promise<Kept> {
    const { clusterRoles, bindings } = this.#sources;
    let live = clusterRoles.get(object.metadata.name);
    if (live?.aggregationRule !== undefined && isOwn(live, CONTROLLER)) {
      // Only who holds everything may change a role that gathers others: it is made anew.
      await deleteOwn(this.#writer, CLUSTER_ROLES, live, CONTROLLER, signal);
      live = undefined;
    }
    if (givesMore(object, live)) await bindings.withdrawExcess(role, live !== undefined, signal);
    return keepOwn(this.#writer, { resource: CLUSTER_ROLES, object, live, controller: CONTROLLER }, signal);
  }
}
