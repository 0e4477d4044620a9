// The ceiling of AuthorizationRoles as the objects that are applied: ClusterRoles with their bindings, and admission policies.
import { SYSTEM_NAMESPACE } from "../names";
import { AUTHORIZATION_ACCOUNT, CLUSTER_AUTHORIZATION_ACCOUNT } from "./accounts";
import { ceilingRules, CLUSTER_CEILING, NAMESPACE_CEILING, RBAC_GROUP, type RaisedCeiling } from "./ceiling";
import { admissionPolicies } from "./policies";

/** An object of the ceiling. */
export interface CeilingObject {
  apiVersion: string;
  kind:
    "ClusterRole" | "ClusterRoleBinding" | "ValidatingAdmissionPolicy" | "ValidatingAdmissionPolicyBinding";
  metadata: { name: string; labels: Record<string, string> };
  [field: string]: unknown;
}

// The label of the controller lets the coordinator see the ceiling among the roles that it watches.
const LABELS = {
  "app.kubernetes.io/managed-by": "fleetwright",
  "fleetwright.dev/controller": "authorization",
};
const HOLDERS: Readonly<Record<string, string>> = {
  [NAMESPACE_CEILING]: AUTHORIZATION_ACCOUNT,
  [CLUSTER_CEILING]: CLUSTER_AUTHORIZATION_ACCOUNT,
};

/** Everything that bounds AuthorizationRoles, with what an administrator raised. */
export function ceilingObjects(raised: RaisedCeiling = {}): CeilingObject[] {
  const rbac = `${RBAC_GROUP}/v1`;
  const roles = Object.entries(ceilingRules(raised)).flatMap(([name, rules]): CeilingObject[] => [
    { apiVersion: rbac, kind: "ClusterRole", metadata: { name, labels: LABELS }, rules },
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: { name, labels: LABELS },
      roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name: HOLDERS[name] ?? "", namespace: SYSTEM_NAMESPACE }],
    },
  ]);
  const admission = "admissionregistration.k8s.io/v1";
  const policies = admissionPolicies(raised).flatMap(({ name, spec, places }): CeilingObject[] => [
    { apiVersion: admission, kind: "ValidatingAdmissionPolicy", metadata: { name, labels: LABELS }, spec },
    ...places.map((place): CeilingObject => ({
      apiVersion: admission,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: `${name}-${place.name}`, labels: LABELS },
      spec: {
        policyName: name,
        validationActions: ["Deny"],
        ...(place.namespaceSelector === undefined
          ? {}
          : { matchResources: { namespaceSelector: place.namespaceSelector } }),
      },
    })),
  ]);
  return [...roles, ...policies];
}
