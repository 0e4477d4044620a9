import { GROUP } from "../../../api";
import { equal, Finalizer, type Informer, type ReconcileContext, type ReconcileResult } from "../../runtime";
import type { DeletionGuard } from "../deletion-guard";
import { ROLE_BINDINGS, type RoleBindingObject, type RoleObject } from "../kinds";
import { isTerminating } from "../native";
import { deleteOwn, isOwn, keepOwn } from "../ownership";
import type { Workplace } from "../part";
import { namespacesIn } from "../sources";
import { StatusWriter, well, wrong, type Judgement } from "../status";
import { describeObjections } from "./allowance";
import { CONTROLLER, nativeBindingFor, nativeName, objectionsToBinding } from "./desired";
import type { NativeBinding } from "./native-roles";
import { ownerOf } from "./roles";

/** What bindings are kept from. */
export interface BindingSources {
  roles: Informer<RoleObject>;
  bindings: Informer<RoleBindingObject>;
  clusterBindings: Informer<NativeBinding>;
  roleBindings: Informer<NativeBinding>;
  guards: { roles: DeletionGuard<RoleObject>; bindings: DeletionGuard<RoleBindingObject> };
}

/** Keeps a native binding for every binding whose role is there and may be given. */
export function setUpBindings(
  { manager, client, namespace: home, concurrency }: Workplace,
  { roles, bindings, clusterBindings, roleBindings, guards }: BindingSources,
): void {
  const namespaces = namespacesIn(manager.cache);
  for (const informer of [clusterBindings, roleBindings])
    informer.addIndex("stands-for", ({ metadata }) => ownerOf(metadata.annotations));
  bindings.addIndex("role", ({ spec }) => [spec.role]);
  bindings.addIndex("namespace", ({ spec }) => (spec.namespace === undefined ? [] : [spec.namespace]));
  const status = new StatusWriter(client, ROLE_BINDINGS, CONTROLLER);

  /** Deletes the native bindings of a binding, but for the one that is wanted. */
  const removeBut = async (
    name: string,
    wanted: NativeBinding | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    for (const informer of [clusterBindings, roleBindings]) {
      for (const live of informer.byIndex("stands-for", name)) {
        const same =
          wanted !== undefined &&
          (live.metadata.namespace ?? "") === (wanted.metadata.namespace ?? "") &&
          live.metadata.name === wanted.metadata.name;
        // What a binding gives cannot be changed, so it is made anew.
        const useful = same && equal(live.roleRef, wanted.roleRef);
        if (!useful && isOwn(live, CONTROLLER))
          await deleteOwn(client, informer.resource, live, CONTROLLER, signal);
      }
    }
  };

  const finalizer = new Finalizer(client, ROLE_BINDINGS, `${GROUP}/${CONTROLLER}`, [
    {
      name: "native binding",
      run: async ({ metadata }, signal) => {
        await removeBut(metadata.name, undefined, signal);
        return "done";
      },
    },
  ]);

  /** The role, or what stands in the way. */
  const obstacle = (binding: RoleBindingObject): Judgement | undefined => {
    const role = roles.get(binding.spec.role);
    if (role === undefined || guards.roles.goes(role))
      return wrong(
        "RoleMissing",
        `There is no AuthorizationRole ${JSON.stringify(binding.spec.role)}: make it, or name another in spec.role.`,
      );
    const objections = objectionsToBinding(binding, role, home);
    if (objections.length > 0) return wrong("Refused", describeObjections(objections));
    const namespace = binding.spec.namespace;
    if (namespace === undefined) return undefined;
    const found = namespaces.get(namespace);
    return found !== undefined && !isTerminating(found)
      ? undefined
      : wrong(
          "NamespaceMissing",
          `There is no namespace ${JSON.stringify(namespace)}: make it, or name another in spec.namespace.`,
        );
  };

  const reconcile = async (
    name: string,
    { signal }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> => {
    const binding = bindings.get(name);
    if (binding === undefined) {
      status.forget(name);
      return undefined;
    }
    if (guards.bindings.goes(binding)) {
      const end = await finalizer.finalize(binding, signal);
      return end.finished ? undefined : end.result;
    }
    await finalizer.ensure(binding, signal);
    const held = guards.bindings.holds(binding) ? wrong("MassDeletion", guards.bindings.message) : undefined;
    const problem = obstacle(binding);
    const object = nativeBindingFor(binding);
    await removeBut(name, problem === undefined ? object : undefined, signal);
    if (problem !== undefined) {
      await status.write(binding, { Ready: held ?? problem }, {}, signal);
      return undefined;
    }
    const { namespace } = binding.spec;
    const informer = namespace === undefined ? clusterBindings : roleBindings;
    const found = informer.get(
      namespace === undefined ? object.metadata.name : `${namespace}/${object.metadata.name}`,
    );
    const live = found !== undefined && equal(found.roleRef, object.roleRef) ? found : undefined;
    const kept = await keepOwn(
      client,
      { resource: informer.resource, object, live, controller: CONTROLLER },
      signal,
    );
    const native = {
      kind: kindOf(namespace),
      name: object.metadata.name,
      ...(namespace === undefined ? {} : { namespace }),
    };
    const foreign = wrong(
      "ForeignObject",
      `There is a ${native.kind} ${native.name} that somebody else made, and it is left alone: delete it or rename this binding.`,
    );
    const inPlace = well(
      "InPlace",
      `The ${native.kind} ${native.name} gives the role ${nativeName(binding.spec.role)}.`,
    );
    await status.write(
      binding,
      { Ready: held ?? (kept === "foreign" ? foreign : inPlace) },
      { binding: native },
      signal,
    );
    return undefined;
  };

  manager
    .controller({ name: `${CONTROLLER}-bindings`, reconcile, concurrency })
    .watches(bindings)
    .watches(roles, ({ metadata }) =>
      bindings.byIndex("role", metadata.name).map((binding) => binding.metadata.name),
    )
    .watches(namespaces, ({ metadata }) =>
      bindings.byIndex("namespace", metadata.name).map((binding) => binding.metadata.name),
    )
    .watches(clusterBindings, ({ metadata }) => ownerOf(metadata.annotations))
    .watches(roleBindings, ({ metadata }) => ownerOf(metadata.annotations));
}

function kindOf(namespace: string | undefined): "ClusterRoleBinding" | "RoleBinding" {
  return namespace === undefined ? "ClusterRoleBinding" : "RoleBinding";
}
