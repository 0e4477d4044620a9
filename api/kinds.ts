import { authorizationRole } from "./authorization-role";
import { authorizationRoleBinding } from "./authorization-role-binding";
import { clusterLabel } from "./cluster-label";
import { clusterUpgrade } from "./cluster-upgrade";
import { apiResourceImport } from "./hub/api-resource-import";
import { apiSchema } from "./hub/api-schema";
import { cluster } from "./hub/cluster";
import { negotiatedApiResource } from "./hub/negotiated-api-resource";
import { share } from "./hub/share";
import { nodePoolLabel } from "./node-pool-label";
import { plugin } from "./plugin";
import { registry } from "./registry";
import { customResourceDefinition } from "./schema/crd";
import type { AnyKind } from "./schema/kind";
import type { Problem } from "./schema/problem";
import { user } from "./user";

/** Every kind that is installed in a cluster, by its name. */
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

/** Every kind that is installed on a hub, by its name. */
export const HUB_KINDS = {
  Cluster: cluster,
  APISchema: apiSchema,
  APIResourceImport: apiResourceImport,
  NegotiatedAPIResource: negotiatedApiResource,
  Share: share,
} as const;

/** The name of a kind in a cluster. */
export type KindName = keyof typeof KINDS;
/** The name of a kind on a hub. */
export type HubKindName = keyof typeof HUB_KINDS;

/** Everything that is wrong with a spec of a kind, with paths below `at`. Empty if the API server would accept it. */
export function specProblems(kind: KindName, spec: unknown, at = "spec"): readonly Problem[] {
  const validator: AnyKind = KINDS[kind];
  const verdict = validator.validateSpec(spec, at);
  return verdict.ok ? [] : verdict.problems;
}

/** The CRD of a kind by its name. */
export function crdOf(name: KindName | HubKindName): ReturnType<typeof customResourceDefinition> {
  return customResourceDefinition(anyKind(name));
}

/** A kind of either set by its name. */
export function anyKind(name: KindName | HubKindName): AnyKind {
  return { ...KINDS, ...HUB_KINDS }[name];
}

/** The names of all kinds that are installed in a cluster. */
export const KIND_NAMES: readonly KindName[] = Object.keys(KINDS).filter(
  (name): name is KindName => name in KINDS,
);
/** The names of all kinds that are installed on a hub. */
export const HUB_KIND_NAMES: readonly HubKindName[] = Object.keys(HUB_KINDS).filter(
  (name): name is HubKindName => name in HUB_KINDS,
);
