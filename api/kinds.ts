import { authorizationRole } from "./authorization-role";
import { authorizationRoleBinding } from "./authorization-role-binding";
import { clusterLabel } from "./cluster-label";
import { clusterUpgrade } from "./cluster-upgrade";
import { nodePoolLabel } from "./node-pool-label";
import { plugin } from "./plugin";
import { registry } from "./registry";
import { customResourceDefinition } from "./schema/crd";
import type { AnyKind } from "./schema/kind";
import type { Problem } from "./schema/problem";
import { user } from "./user";

/** Every kind, by its name. */
export const KINDS = {
  User: user,
  Registry: registry,
  ClusterLabel: clusterLabel,
  NodePoolLabel: nodePoolLabel,
  Plugin: plugin,
  AuthorizationRole: authorizationRole,
  AuthorizationRoleBinding: authorizationRoleBinding,
  ClusterUpgrade: clusterUpgrade,
} as const;

/** The name of a kind. */
export type KindName = keyof typeof KINDS;

/** Everything that is wrong with a spec of a kind, with paths below `at`. Empty if the API server would accept it. */
export function specProblems(kind: KindName, spec: unknown, at = "spec"): readonly Problem[] {
  const validator: AnyKind = KINDS[kind];
  const verdict = validator.validateSpec(spec, at);
  return verdict.ok ? [] : verdict.problems;
}

/** The CRD of a kind by its name. */
export function crdOf(name: KindName): ReturnType<typeof customResourceDefinition> {
  return customResourceDefinition(KINDS[name]);
}

/** The names of all kinds. */
export const KIND_NAMES: readonly KindName[] = Object.keys(KINDS).filter(
  (name): name is KindName => name in KINDS,
);
