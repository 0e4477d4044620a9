// Declares objects that stand elsewhere as plain data: roles and accounts that are generated, and the ceiling of roles.
import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { metadataOf, type Labels } from "../addons/declaration";

/** An object in the shape that Kubernetes has. */
export interface PlainObject {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
}

type Maker = (name: string, args: object, opts: pulumi.CustomResourceOptions) => pulumi.Resource;

const MAKERS: Readonly<Record<string, Maker>> = {
  Namespace: (...given) => new kubernetes.core.v1.Namespace(...given),
  ServiceAccount: (...given) => new kubernetes.core.v1.ServiceAccount(...given),
  ClusterRole: (...given) => new kubernetes.rbac.v1.ClusterRole(...given),
  ClusterRoleBinding: (name, args, opts) =>
    new kubernetes.rbac.v1.ClusterRoleBinding(name, args as kubernetes.rbac.v1.ClusterRoleBindingArgs, opts),
  Role: (...given) => new kubernetes.rbac.v1.Role(...given),
  RoleBinding: (name, args, opts) =>
    new kubernetes.rbac.v1.RoleBinding(name, args as kubernetes.rbac.v1.RoleBindingArgs, opts),
  ValidatingAdmissionPolicy: (...given) =>
    new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicy(...given),
  ValidatingAdmissionPolicyBinding: (...given) =>
    new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyBinding(...given),
};

/** Declares an object as a resource whose name is made of a prefix, the object's kind, its namespace and its name. */
export function declareObject(
  prefix: string,
  object: PlainObject,
  labels: Labels | undefined,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource {
  const { kind, metadata } = object;
  const make = MAKERS[kind];
  if (make === undefined) throw new Error(`There is a ${kind}, which nobody here knows how to declare.`);
  const qualifiedName =
    metadata.namespace === undefined ? metadata.name : `${metadata.namespace}-${metadata.name}`;
  const own = { ...metadata, ...metadataOf(metadata.name, { ...labels, ...metadata.labels }) };
  return make(`${prefix}-${kind.toLowerCase()}-${qualifiedName}`, { ...object, metadata: own }, opts);
}
