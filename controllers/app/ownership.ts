import {
  ApiError,
  apiVersionOf,
  equal,
  isAlreadyExists,
  isNotFound,
  resourcePath,
  type ApiClient,
  type KubernetesObject,
  type Resource,
} from "../runtime";

/** The label that says who looks after an object. */
export const MANAGED_BY = "app.kubernetes.io/managed-by";
/** The value of {@link MANAGED_BY} on what is ours. */
export const PRODUCT = "fleetwright";
/** The label that says which of our controllers made an object. */
export const CONTROLLER_LABEL = "fleetwright.dev/controller";

/** The labels of what a controller makes. */
export function ownLabels(controller: string): Record<string, string> {
  return { [MANAGED_BY]: PRODUCT, [CONTROLLER_LABEL]: controller };
}

/** Selects what a controller made. */
export function ownSelector(controller: string): string {
  return `${MANAGED_BY}=${PRODUCT},${CONTROLLER_LABEL}=${controller}`;
}

/** Whether a controller made an object. Who wants it to take over another puts both labels on it. */
export function isOwn({ metadata }: KubernetesObject, controller: string): boolean {
  return metadata.labels?.[MANAGED_BY] === PRODUCT && metadata.labels[CONTROLLER_LABEL] === controller;
}

/** What came of keeping an object. */
export type Kept = "created" | "changed" | "same" | "foreign" | "no namespace";

/** An object that a controller wants to be there. */
export interface Wanted<T extends KubernetesObject> {
  resource: Resource<T>;
  /** Labels and annotations in it are added to what is there; its other fields become exactly these. */
  object: T;
  /** As the cache has it. */
  live: T | undefined;
  controller: string;
}

/**
 * Makes an object, or brings the fields of one that is ours back to what is wanted. One of the same name that is not
 * ours is left alone. A write says which object it means, so what changed meanwhile is a conflict and comes again.
 */
export async function keepOwn<T extends KubernetesObject>(
  client: ApiClient,
  { resource, object, live, controller }: Wanted<T>,
  signal: AbortSignal,
): Promise<Kept> {
  let found = live;
  if (found === undefined) {
    try {
      await createAs(client, resource, object, controller, signal);
      return "created";
    } catch (error) {
      if (isNamespaceGone(error)) return "no namespace";
      if (!isAlreadyExists(error)) throw error;
      found = await client.get(resource, object.metadata, signal);
    }
  }
  if (!isOwn(found, controller)) return "foreign";
  const patch = difference(object, found);
  if (patch === undefined) return "same";
  const { uid, resourceVersion } = found.metadata;
  const body = { ...patch, metadata: { ...patch.metadata, uid, resourceVersion } };
  try {
    await client.patchUnread(resource, object.metadata, body, {
      query: { fieldManager: `fleetwright-${controller}` },
      signal,
    });
  } catch (error) {
    if (isNamespaceGone(error)) return "no namespace";
    throw error;
  }
  return "changed";
}

/** Deletes an object of ours, if it is still exactly the one that was looked at. */
export async function deleteOwn(
  client: ApiClient,
  resource: Resource,
  object: KubernetesObject,
  controller: string,
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  if (!isOwn(object, controller) || uid === undefined)
    throw new Error(`${resource.kind} ${object.metadata.name} is not ${controller}'s and is not deleted.`);
  try {
    await client.delete(resource, object.metadata, { uid, resourceVersion }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function createAs<T extends KubernetesObject>(
  client: ApiClient,
  resource: Resource<T>,
  object: T,
  controller: string,
  signal: AbortSignal,
): Promise<void> {
  await client.bytes({
    method: "POST",
    path: resourcePath(resource, { namespace: object.metadata.namespace }),
    query: { fieldManager: `fleetwright-${controller}` },
    body: { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object },
    signal,
  });
}

/** Whether a write failed because its namespace is gone or going, which is no error: nothing is wanted there. */
export function isNamespaceGone(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code === 404) return /namespaces? /.test(error.status.message ?? "");
  return (
    error.code === 403 &&
    (error.status.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating")
  );
}

interface Patch {
  metadata: Record<string, unknown>;
  [field: string]: unknown;
}

/** The merge patch that brings `live` to what is wanted; undefined if it is there already. */
export function difference(wanted: KubernetesObject, live: KubernetesObject): Patch | undefined {
  const { metadata, ...fields } = wanted;
  const patch: Patch = { metadata: {} };
  let differs = false;
  for (const map of ["labels", "annotations"] as const) {
    const missing = Object.entries(metadata[map] ?? {}).filter(
      ([key, value]) => live.metadata[map]?.[key] !== value,
    );
    if (missing.length === 0) continue;
    patch.metadata[map] = Object.fromEntries(missing);
    differs = true;
  }
  const owners = live.metadata.ownerReferences ?? [];
  const lacking = (metadata.ownerReferences ?? []).filter(
    (owner) => !owners.some((other) => equal(other, owner)),
  );
  if (lacking.length > 0) {
    // An owner of the same name with another uid is the one before: it is replaced.
    const others = owners.filter(
      (other) => !lacking.some(({ kind, name }) => other.kind === kind && other.name === name),
    );
    patch.metadata.ownerReferences = [...others, ...lacking];
    differs = true;
  }
  for (const [field, value] of Object.entries(fields)) {
    if (field === "apiVersion" || field === "kind") continue;
    const found: unknown = Reflect.get(live, field);
    if (equal(found, value) || (isNothing(found) && isNothing(value))) continue;
    patch[field] = replacement(value, found);
    differs = true;
  }
  return differs ? patch : undefined;
}

// The API server keeps empty lists and maps as nothing, or as null.
function isNothing(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)
  );
}

// A merge patch adds to a map; keys that are to go must be named.
function replacement(value: unknown, found: unknown): unknown {
  if (value === undefined) return null;
  if (!isMap(value) || !isMap(found)) return value;
  const gone = Object.keys(found).filter((key) => !Object.hasOwn(value, key));
  return { ...Object.fromEntries(gone.map((key) => [key, null])), ...value };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
