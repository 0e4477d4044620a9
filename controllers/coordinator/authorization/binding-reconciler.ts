// Reconciles AuthorizationRoleBindings into RoleBindings and ClusterRoleBindings.
import { GROUP } from "../../../api";
import {
  equal,
  Finalizer,
  type ApiClient,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import type { DeletionGuard } from "../../app/deletion-guard";
import { ROLE_BINDINGS, type RoleBindingObject, type RoleObject } from "../kinds";
import { isOwn, keepOwn } from "../../app/ownership";
import { conditionFalse, StatusWriter, type ConditionState } from "../../app/status";
import { BindingObstacles, type ObstacleSources } from "./binding-obstacles";
import type { KeyedMutex } from "../../../lib/keyed-mutex";
import { CONTROLLER, givesElsewhere, nativeBindingFor, nativeName, ownerOf } from "./plan";
import type { NativeBindings } from "./native-bindings";
import type { NativeBinding } from "./rbac-resources";
import { isAccountRefusal, RefusalPace, refusalOf } from "./refusal";
import { bindingCondition } from "./status";
import { subjectsOf, type People } from "./subjects";

/** What the reconciler of bindings reads and uses. */
export interface BindingSources extends ObstacleSources {
  bindings: Informer<RoleBindingObject>;
  natives: NativeBindings;
  /** Who gets the roles. */
  people: People;
  guard: DeletionGuard<RoleBindingObject>;
  locks: KeyedMutex;
}

/** Keeps the native binding of one AuthorizationRoleBinding, if its role exists and may be given there. */
export class BindingReconciler {
  readonly #sources: BindingSources;
  readonly #obstacles: BindingObstacles;
  readonly #status;
  readonly #finalizer: Finalizer<RoleBindingObject>;
  readonly #pace = new RefusalPace();

  constructor(client: ApiClient, sources: BindingSources) {
    this.#sources = sources;
    this.#obstacles = new BindingObstacles(sources);
    this.#status = new StatusWriter(client, ROLE_BINDINGS, CONTROLLER);
    this.#finalizer = new Finalizer(client, ROLE_BINDINGS, `${GROUP}/${CONTROLLER}`, [
      {
        name: "native binding",
        run: async ({ metadata }, signal) => {
          await this.#deleteExcept(metadata.name, undefined, signal);
          return "done";
        },
      },
    ]);
  }

  async reconcile(name: string, { signal }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { bindings, guard, locks } = this.#sources;
    const binding = bindings.get(name);
    if (binding === undefined) {
      this.#status.forget(name);
      this.#pace.forget(name);
      return undefined;
    }
    if (guard.confirmsDeletion(binding)) {
      const end = await this.#finalizer.finalize(binding, signal);
      return end.finished ? undefined : end.result;
    }
    await this.#finalizer.ensure(binding, signal);
    return locks.runExclusive(binding.spec.role, async () => {
      // As it is now that nobody else works for the role. If it names another one now, its own turn comes.
      const latest = bindings.get(name);
      return latest?.spec.role === binding.spec.role ? this.#keep(latest, signal) : undefined;
    });
  }

  /** Withdraws what native bindings of a role would give beyond what is declared if the role gave what it declares now. */
  async withdrawExcess(role: RoleObject, isInUse: boolean, signal: AbortSignal): Promise<void> {
    const { natives } = this.#sources;
    const clusterRole = nativeName(role.metadata.name);
    // Nobody uses a role that was not there, unless bindings of an earlier one of the name were left.
    if (!isInUse && !natives.seenOf(clusterRole)) return;
    for (const live of await natives.listOf(clusterRole, signal))
      if (!this.#isDeclared(live)) await natives.delete(live, signal);
  }

  /** Whether a native binding gives nothing that is not declared now. */
  #isDeclared(live: NativeBinding): boolean {
    const { bindings, guard, people } = this.#sources;
    return ownerOf(live.metadata.annotations).some((name) => {
      const binding = bindings.get(name);
      return (
        binding !== undefined &&
        !guard.confirmsDeletion(binding) &&
        this.#obstacles.refusal(binding) === undefined &&
        !givesElsewhere(live, nativeBindingFor(binding, subjectsOf(binding.spec, people)))
      );
    });
  }

  async #keep(binding: RoleBindingObject, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { guard, natives, people } = this.#sources;
    const { name } = binding.metadata;
    const report = async (condition: ConditionState, others: object = {}): Promise<void> => {
      const Ready = guard.holdsBack(binding) ? conditionFalse("MassDeletion", guard.message) : condition;
      await this.#status.write(binding, { Ready }, others, signal);
    };
    const waits = this.#obstacles.waiting(binding);
    if (waits !== undefined) {
      await report(waits);
      return undefined;
    }
    const obstacle = this.#obstacles.refusal(binding);
    const object = nativeBindingFor(binding, subjectsOf(binding.spec, people));
    await this.#deleteExcept(name, obstacle === undefined ? object : undefined, signal);
    if (obstacle !== undefined) {
      await report(obstacle);
      return undefined;
    }
    const pending = this.#obstacles.pending(binding);
    if (pending !== undefined) {
      await report(pending);
      return undefined;
    }
    const { namespace, role } = binding.spec;
    const { resource, found } = natives.of(object);
    const live = found !== undefined && equal(found.roleRef, object.roleRef) ? found : undefined;
    const native = {
      kind: namespace === undefined ? ("ClusterRoleBinding" as const) : ("RoleBinding" as const),
      name: object.metadata.name,
      ...(namespace === undefined ? {} : { namespace }),
    };
    try {
      const writer = natives.writerFor(this.#obstacles.place(binding));
      const kept = await keepOwn(writer, { resource, object, live, controller: CONTROLLER }, signal);
      this.#pace.forget(name);
      await report(bindingCondition(role, native, kept === "foreign"), { binding: native });
      return undefined;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      if (!isAccountRefusal(error)) await this.#deleteExcept(name, undefined, signal);
      await report(refusal);
      return { requeueAfterMs: this.#pace.next(name) };
    }
  }

  /** Deletes the native bindings of a binding, except the one that is wanted. */
  async #deleteExcept(name: string, wanted: NativeBinding | undefined, signal: AbortSignal): Promise<void> {
    const { natives } = this.#sources;
    for (const live of natives.standingFor(name)) {
      const same =
        wanted !== undefined &&
        (live.metadata.namespace ?? "") === (wanted.metadata.namespace ?? "") &&
        live.metadata.name === wanted.metadata.name;
      // The role of a binding is immutable, so a binding of another role is deleted and created anew.
      const useful = same && equal(live.roleRef, wanted.roleRef);
      if (!useful && isOwn(live, CONTROLLER)) await natives.delete(live, signal);
    }
  }
}
