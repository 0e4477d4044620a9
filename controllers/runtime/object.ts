// Kubernetes objects and resources as types, and the paths, keys and names derived from them.
export { isObject as isRecord } from "../../lib/json";

/** The metadata of an object as it comes over the wire (dates are text). */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFields[] | undefined;
}

/** Who an object belongs to. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Which fields a manager owns. */
export interface ManagedFields {
  manager?: string;
  operation?: string;
  subresource?: string;
  fieldsV1?: FieldSet;
  [other: string]: unknown;
}

/** The tree of fields that the API server keeps per manager. */
export interface FieldSet {
  [path: string]: FieldSet;
}

/** Any object of the API. Objects out of a cache are shared: never change one, copy it first. */
export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** A kind as the API server serves it. */
export interface Resource<T extends KubernetesObject = KubernetesObject> {
  /** Empty for the core group. */
  group: string;
  version: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  /** Never set; ties the type of the objects to the resource. */
  readonly objects?: T;
}

/** Names one object. */
export interface ObjectRef {
  name: string;
  namespace?: string | undefined;
}

/** The `apiVersion` of a resource. */
export function apiVersionOf({ group, version }: Resource): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The resource as `plural.group`, as in `kubectl get`. */
export function resourceName({ plural, group }: Resource): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** The path of a collection, or of an object if a name is given. */
export function resourcePath(
  resource: Resource,
  { namespace, name }: { namespace?: string | undefined; name?: string | undefined } = {},
  subresource?: string,
): string {
  const root =
    resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope =
    resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const object = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${resource.plural}${object}${subresource === undefined ? "" : `/${subresource}`}`;
}

/** The key of an object in caches and queues: `namespace/name`, or `name` for what has no namespace. */
export function keyOf({ metadata: { namespace, name } }: KubernetesObject): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** The object that a key names. */
export function refOf(key: string): ObjectRef {
  const slash = key.indexOf("/");
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Orders resource versions, which are whole numbers of any length. Negative if `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  return a.length === b.length ? (a < b ? -1 : a > b ? 1 : 0) : a.length - b.length;
}

/** Tells objects of the API from other JSON. */
export function isObject(value: unknown): value is KubernetesObject {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return false;
  const { metadata } = value;
  return (
    typeof metadata === "object" &&
    metadata !== null &&
    "name" in metadata &&
    typeof metadata.name === "string"
  );
}
