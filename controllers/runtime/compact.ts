// Reduces the memory of cached objects: strings that many objects share are kept once.
import { apiVersionOf, type KubernetesObject, type Resource } from "./object";
import { StringPool } from "./string-pool";

/**
 * Makes objects of one resource take less room without changing what they say: texts that many objects share are kept
 * once. Also gives them their type, which lists of built-in kinds leave out of their items: with it, an object is the
 * same however it came.
 */
export function compactor<T extends KubernetesObject>(resource: Resource<T>): (object: T) => T {
  const apiVersion = apiVersionOf(resource);
  const { kind } = resource;
  const pool = new StringPool();
  return (object) => {
    if (object.apiVersion === undefined || object.apiVersion === apiVersion) object.apiVersion = apiVersion;
    if (object.kind === undefined || object.kind === kind) object.kind = kind;
    const { metadata } = object;
    if (metadata.namespace !== undefined) metadata.namespace = pool.of(metadata.namespace);
    // Objects are often made many at a time, and say so to the second.
    if (metadata.creationTimestamp !== undefined)
      metadata.creationTimestamp = pool.of(metadata.creationTimestamp);
    const { labels } = metadata;
    for (const name in labels) labels[name] = pool.of(labels[name] ?? "");
    return object;
  };
}
