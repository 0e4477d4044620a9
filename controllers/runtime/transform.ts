// Transforms that make objects smaller before they are cached.
import type { KubernetesObject } from "./object";

/** Makes an object smaller before it is kept. May change the object, which nobody else has seen yet. */
export type Transform<T> = (object: T) => T;

/** Forgets who manages which field: often half of an object, and of no use to most controllers. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  // Set, not deleted: objects that lose a property become slow and large in V8.
  if (object.metadata.managedFields !== undefined) object.metadata.managedFields = undefined;
  return object;
}

/** Keeps the fields of one manager only, so that an applier can tell from the cache whether it has to write. */
export function keepManagedFieldsOf(manager: string): <T extends KubernetesObject>(object: T) => T {
  return (object) => {
    const kept = object.metadata.managedFields?.filter((entry) => entry.manager === manager);
    if (kept !== undefined) object.metadata.managedFields = kept;
    return object;
  };
}
