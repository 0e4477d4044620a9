import { authorizationRole } from "./authorization-role";
import { authorizationRoleBinding } from "./authorization-role-binding";
import { clusterLabel } from "./cluster-label";
import { clusterUpgrade } from "./cluster-upgrade";
import { nodePoolLabel } from "./node-pool-label";
import { plugin } from "./plugin";
import { registry } from "./registry";
import { customResourceDefinition } from "./schema/crd";
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

/** The CRD of a kind by its name. */
export function crdOf(name: KindName): ReturnType<typeof customResourceDefinition> {
  return customResourceDefinition(KINDS[name]);
}

/** The names of all kinds. */
export const KIND_NAMES: readonly KindName[] = Object.keys(KINDS).filter(
  (name): name is KindName => name in KINDS,
);
