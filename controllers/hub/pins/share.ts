// The Share of an object that is pinned to a cluster. Pure.
import { createHash } from "node:crypto";
import { clusterNamespace, MAX_MANIFEST } from "../../../api/hub";
import { apiVersionOf, equal, isRecord, keyOf, type KubernetesObject, type Resource } from "../../runtime";
import type { ShareObject } from "../../syncer/kinds";
import { manifestOf, type ManifestOptions } from "../../workload";

/** On a Share: that a pin made it, and not a placement. */
export const PIN_LABEL = "fleetwright.dev/pinned";

/** Whether a pin made a Share. */
export function isPin({ metadata }: ShareObject): boolean {
  return metadata.labels?.[PIN_LABEL] === "true";
}

/**
 * The most bytes of a Share's spec as it is stored: etcd takes a request of 1.5 MiB, and the status, the managed fields and the
 * object's name need room beside it.
 */
export const MAX_SHARE_BYTES = 1_310_720;

/** The bytes of a value as the API server stores it: UTF-8 JSON in which `<`, `>` and `&` are written as six bytes each. */
export function storedBytes(value: unknown): number {
  const text = JSON.stringify(value);
  return Buffer.byteLength(text) + (text.match(/[<>&]/g)?.length ?? 0) * 5;
}

/** The name of an object's Share in any cluster: readable, and its own. */
export function shareName({ group, kind }: Pick<Resource, "group" | "kind">, root: KubernetesObject): string {
  const identity = `${kind}.${group} ${keyOf(root)}`;
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, 10);
  const name = `${root.metadata.name}-${kind.toLowerCase()}`.replace(/[^a-z0-9.-]+/g, "-").slice(0, 200);
  return `${name.replace(/^[^a-z0-9]+/, "")}-${hash}`;
}

/** The Share of a root in a cluster; or why there can be none. */
export function shareOf(
  resource: Resource,
  root: KubernetesObject,
  cluster: string,
  options: ManifestOptions,
): { share: ShareObject } | { problem: string } {
  const { uid = "", name, namespace, generation = 0 } = root.metadata;
  const apiVersion = apiVersionOf(resource);
  const manifest = JSON.stringify(manifestOf({ ...root, apiVersion, kind: resource.kind }, options));
  if (manifest.length > MAX_MANIFEST)
    return {
      problem: `its manifest has ${manifest.length} characters, and a Share holds ${MAX_MANIFEST}: make it smaller, or split it`,
    };
  const spec: ShareObject["spec"] = {
    root: {
      apiVersion,
      kind: resource.kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      uid,
      generation,
    },
    manifest,
    hash: createHash("sha256").update(manifest).digest("hex"),
    phase: "Active",
  };
  const bytes = storedBytes(spec);
  if (bytes > MAX_SHARE_BYTES)
    return {
      problem: `its Share would have ${bytes} bytes, quotes and other escaped characters counted as they are stored, and the hub stores ${MAX_SHARE_BYTES}: make it smaller, or split it`,
    };
  const metadata = {
    name: shareName(resource, root),
    namespace: clusterNamespace(cluster),
    labels: { [PIN_LABEL]: "true" },
  };
  return { share: { metadata, spec } };
}

/** Whether a Share that is there says what is wanted, the manifest itself and not only its hash. */
export function isSameShare(live: ShareObject, { spec }: ShareObject): boolean {
  return equal(live.spec, spec);
}

/** The merge patch that makes the spec of a Share what is wanted: what somebody added goes. */
export function sharePatch(live: ShareObject, { spec }: ShareObject): object {
  const added = Object.keys(live.spec).filter((field) => !(field in spec));
  return { ...spec, ...Object.fromEntries(added.map((field) => [field, null])) };
}

/**
 * The status that a root gets from its Share; undefined while there is none to give. `observedGeneration` is said only when the
 * member has this generation of the root and its own controller has seen it.
 */
export function rootStatus(root: KubernetesObject, { spec, status }: ShareObject): object | undefined {
  const observed = parsed(status?.observed);
  if (observed === undefined) return undefined;
  const before = Reflect.get(root, "status") as unknown;
  const { observedGeneration, ...rest } = observed;
  const generation = root.metadata.generation ?? 0;
  const isApplied =
    status?.appliedHash === spec.hash &&
    status.appliedGeneration === generation &&
    spec.root.generation === generation;
  const isSeen =
    typeof observedGeneration === "number" && observedGeneration >= (status?.memberGeneration ?? Infinity);
  if (observedGeneration === undefined) return rest;
  if (isApplied && isSeen) return { ...rest, observedGeneration: generation };
  const known =
    isRecord(before) && typeof before.observedGeneration === "number" ? before.observedGeneration : undefined;
  return { ...rest, ...(known === undefined ? {} : { observedGeneration: known }) };
}

function parsed(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    const found: unknown = JSON.parse(text);
    return isRecord(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** The merge patch that makes a status exactly this; undefined if it is. */
export function rootStatusPatch(before: unknown, after: object): object | undefined {
  const known = isRecord(before) ? before : {};
  const wanted: Record<string, unknown> = { ...after };
  const patch: Record<string, unknown> = {};
  for (const field of new Set([...Object.keys(known), ...Object.keys(wanted)]))
    if (!equal(known[field], wanted[field])) patch[field] = wanted[field] ?? null;
  return Object.keys(patch).length === 0 ? undefined : patch;
}
