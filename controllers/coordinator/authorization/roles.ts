import { GROUP } from "../../../api";
import { Finalizer, type Informer, type ReconcileContext, type ReconcileResult } from "../../runtime";
import type { DeletionGuard } from "../deletion-guard";
import { ROLES, type RoleObject } from "../kinds";
import { deleteOwn, isOwn, keepOwn } from "../ownership";
import type { Workplace } from "../part";
import { StatusWriter, well, wrong, type Judgement } from "../status";
import { describeObjections, objectionsTo } from "./allowance";
import { clusterRoleFor, CONTROLLER, nativeName, STANDS_FOR } from "./desired";
import { CLUSTER_ROLES, type ClusterRole } from "./native-roles";

/** Keeps a ClusterRole for every role. */
export function setUpRoles(
  { manager, client, concurrency }: Workplace,
  roles: Informer<RoleObject>,
  clusterRoles: Informer<ClusterRole>,
  guard: DeletionGuard<RoleObject>,
): void {
  const status = new StatusWriter(client, ROLES, CONTROLLER);
  const finalizer = new Finalizer(client, ROLES, `${GROUP}/${CONTROLLER}`, [
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
  const reconcile = async (
    name: string,
    { signal }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> => {
    const role = roles.get(name);
    if (role === undefined) {
      status.forget(name);
      return undefined;
    }
    if (guard.goes(role)) {
      const end = await finalizer.finalize(role, signal);
      return end.finished ? undefined : end.result;
    }
    await finalizer.ensure(role, signal);
    const object = clusterRoleFor(role);
    const live = clusterRoles.get(object.metadata.name);
    const kept = await keepOwn(
      client,
      { resource: CLUSTER_ROLES, object, live, controller: CONTROLLER },
      signal,
    );
    const Ready = guard.holds(role)
      ? wrong("MassDeletion", guard.message)
      : judge(role, object.metadata.name, kept === "foreign");
    await status.write(role, { Ready }, { clusterRole: object.metadata.name }, signal);
    return undefined;
  };
  manager
    .controller({ name: `${CONTROLLER}-roles`, reconcile, concurrency })
    .watches(roles)
    .watches(clusterRoles, ({ metadata }) => ownerOf(metadata.annotations));
}

/** The object of ours that a native one stands for, as a key. */
export function ownerOf(annotations: Readonly<Record<string, string>> | undefined): string[] {
  const name = annotations?.[STANDS_FOR];
  return name === undefined ? [] : [name];
}

function judge({ spec }: RoleObject, name: string, foreign: boolean): Judgement {
  if (foreign)
    return wrong(
      "ForeignObject",
      `There is a ClusterRole ${name} that somebody else made, and it is left alone: delete it or rename this role.`,
    );
  const objections = objectionsTo(spec.rules).filter(({ where }) => where === "anywhere");
  if (objections.length > 0) return wrong("Refused", describeObjections(objections));
  return well("InPlace", `The ClusterRole ${name} has these rules.`);
}
