import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { metadataOf, type Labels } from "../addons/declaration";
import { transformed, type Transform } from "../transform";
import declared from "./roles.json";

/** Overrides for the children that make up an identity. */
export interface IdentityTransforms {
  serviceAccount?: Transform<kubernetes.core.v1.ServiceAccountArgs>;
  clusterRole?: Transform<kubernetes.rbac.v1.ClusterRoleArgs>;
  role?: Transform<kubernetes.rbac.v1.RoleArgs>;
}

interface Rights {
  kind: string;
  rules: kubernetes.types.input.rbac.v1.PolicyRule[];
}

/** The arguments of `declareIdentity`. */
export interface IdentityArgs {
  /** Whose rights: the name of one of our programs. */
  program: "coordinator" | "agent";
  namespace: pulumi.Input<string>;
  labels: Labels;
  /** Annotations of the service account, such as the role that a cloud gives to its pods. @default {} */
  annotations?: Labels;
  transform?: IdentityTransforms;
}

/**
 * Declares the service account of one of our programs and gives it exactly the rights that its controllers declare:
 * in the cluster, and a few in its own namespace. Gives the account's name once it may do what it needs.
 */
export function declareIdentity(
  parent: pulumi.ComponentResource,
  resourceName: string,
  { program, namespace, labels, annotations = {}, transform = {} }: IdentityArgs,
): { account: kubernetes.core.v1.ServiceAccount; bindings: pulumi.Resource[] } {
  const name = `fleetwright-${program}`;
  const metadata = metadataOf(name, labels);
  const own = { ...metadata, namespace };
  const account = new kubernetes.core.v1.ServiceAccount(
    ...transformed<kubernetes.core.v1.ServiceAccountArgs>(
      transform.serviceAccount,
      resourceName,
      {
        metadata: { ...own, annotations: { ...metadata.annotations, ...annotations } },
        // The pod asks for its token itself, and no other pod of the account gets one unasked.
        automountServiceAccountToken: false,
      },
      { parent },
    ),
  );
  const subjects = [{ kind: "ServiceAccount", name: account.metadata.name, namespace }];
  const apiGroup = "rbac.authorization.k8s.io";
  const rights: readonly Rights[] = declared[program];
  const bindings = rights.map(({ kind, rules }) => {
    if (kind === "ClusterRole") {
      const role = new kubernetes.rbac.v1.ClusterRole(
        ...transformed<kubernetes.rbac.v1.ClusterRoleArgs>(
          transform.clusterRole,
          resourceName,
          { metadata, rules },
          { parent },
        ),
      );
      const roleRef = { apiGroup, kind, name: role.metadata.name };
      return new kubernetes.rbac.v1.ClusterRoleBinding(
        resourceName,
        { metadata, roleRef, subjects },
        { parent },
      );
    }
    const role = new kubernetes.rbac.v1.Role(
      ...transformed<kubernetes.rbac.v1.RoleArgs>(
        transform.role,
        resourceName,
        { metadata: own, rules },
        { parent },
      ),
    );
    const roleRef = { apiGroup, kind, name: role.metadata.name };
    return new kubernetes.rbac.v1.RoleBinding(resourceName, { metadata: own, roleRef, subjects }, { parent });
  });
  return { account, bindings };
}
