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
import type { DeletionGuard } from "../deletion-guard";
import { ROLE_BINDINGS, type RoleBindingObject, type RoleObject } from "../kinds";
import { isTerminating, type Namespace } from "../native-resources";
import { deleteOwn, isOwn, keepOwn } from "../ownership";
import { conditionFalse, StatusWriter, type ConditionState } from "../status";
import { describeObjections } from "./escalation";
import { CONTROLLER, nativeBindingFor, objectionsToBinding, ownerOf } from "./plan";
import type { NativeBinding } from "./rbac-resources";
import { bindingCondition } from "./status";
import { subjectsOf, type People } from "./subjects";

/** What the reconciler of bindings reads. */
export interface BindingSources {
  roles: Informer<RoleObject>;
  bindings: Informer<RoleBindingObject>;
  namespaces: Informer<Namespace>;
  clusterBindings: Informer<NativeBinding>;
  roleBindings: Informer<NativeBinding>;
  people: People;
  guards: { roles: DeletionGuard<RoleObject>; bindings: DeletionGuard<RoleBindingObject> };
}

/** Keeps the native binding of one AuthorizationRoleBinding, if its role exists and may be granted. */
export class BindingReconciler {
  readonly #client: ApiClient;
  readonly #home: string;
  readonly #sources: BindingSources;
  readonly #status;
  readonly #finalizer: Finalizer<RoleBindingObject>;

  constructor(client: ApiClient, home: string, sources: BindingSources) {
    this.#client = client;
    this.#home = home;
    this.#sources = sources;
    for (const informer of [sources.clusterBindings, sources.roleBindings])
      informer.addIndex("stands-for", ({ metadata }) => ownerOf(metadata.annotations));
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
    const { bindings, guards, clusterBindings, roleBindings } = this.#sources;
    const binding = bindings.get(name);
    if (binding === undefined) {
      this.#status.forget(name);
      return undefined;
    }
    if (guards.bindings.confirmsDeletion(binding)) {
      const end = await this.#finalizer.finalize(binding, signal);
      return end.finished ? undefined : end.result;
    }
    await this.#finalizer.ensure(binding, signal);
    const held = guards.bindings.holdsBack(binding)
      ? conditionFalse("MassDeletion", guards.bindings.message)
      : undefined;
    const obstacle = this.#obstacle(binding);
    const object = nativeBindingFor(binding, subjectsOf(binding.spec, this.#sources.people));
    await this.#deleteExcept(name, obstacle === undefined ? object : undefined, signal);
    if (obstacle !== undefined) {
      await this.#status.write(binding, { Ready: held ?? obstacle }, {}, signal);
      return undefined;
    }
    const { namespace, role } = binding.spec;
    const informer = namespace === undefined ? clusterBindings : roleBindings;
    const found = informer.get(
      namespace === undefined ? object.metadata.name : `${namespace}/${object.metadata.name}`,
    );
    const live = found !== undefined && equal(found.roleRef, object.roleRef) ? found : undefined;
    const kept = await keepOwn(
      this.#client,
      { resource: informer.resource, object, live, controller: CONTROLLER },
      signal,
    );
    const native = {
      kind: namespace === undefined ? ("ClusterRoleBinding" as const) : ("RoleBinding" as const),
      name: object.metadata.name,
      ...(namespace === undefined ? {} : { namespace }),
    };
    const Ready = held ?? bindingCondition(role, native, kept === "foreign");
    await this.#status.write(binding, { Ready }, { binding: native }, signal);
    return undefined;
  }

  /** What keeps a binding from being granted. */
  #obstacle(binding: RoleBindingObject): ConditionState | undefined {
    const { roles, namespaces, guards } = this.#sources;
    const role = roles.get(binding.spec.role);
    if (role === undefined || guards.roles.confirmsDeletion(role))
      return conditionFalse(
        "RoleMissing",
        `AuthorizationRole ${JSON.stringify(binding.spec.role)} does not exist: create it, or set spec.role to another.`,
      );
    const objections = objectionsToBinding(binding, role, this.#home);
    if (objections.length > 0) return conditionFalse("Refused", describeObjections(objections));
    const { namespace } = binding.spec;
    if (namespace === undefined) return undefined;
    const found = namespaces.get(namespace);
    return found !== undefined && !isTerminating(found)
      ? undefined
      : conditionFalse(
          "NamespaceMissing",
          `Namespace ${JSON.stringify(namespace)} does not exist: create it, or set spec.namespace to another.`,
        );
  }

  /** Deletes the native bindings of a binding, except the one that is wanted. */
  async #deleteExcept(name: string, wanted: NativeBinding | undefined, signal: AbortSignal): Promise<void> {
    const { clusterBindings, roleBindings } = this.#sources;
    for (const informer of [clusterBindings, roleBindings]) {
      for (const live of informer.byIndex("stands-for", name)) {
        const same =
          wanted !== undefined &&
          (live.metadata.namespace ?? "") === (wanted.metadata.namespace ?? "") &&
          live.metadata.name === wanted.metadata.name;
        // The role of a binding is immutable, so a binding of another role is deleted and created anew.
        const useful = same && equal(live.roleRef, wanted.roleRef);
        if (!useful && isOwn(live, CONTROLLER))
          await deleteOwn(this.#client, informer.resource, live, CONTROLLER, signal);
      }
    }
  }
}
