import type { Discovery, KubernetesObject, Resource } from "../../runtime";
import { kindName } from "../../workload";
import { derivedName } from "../derived-name";
import { isOwn, ownLabels } from "../../app/ownership";
import { groupOf, isRecord, nameOf, type Manifest } from "./manifest";
import type { InstallFailure } from "./install-error";

/** As in labels and field managers. */
export const CONTROLLER = "plugins";
/** The field manager of everything that plugins install. */
export const FIELD_MANAGER = `fleetwright-${CONTROLLER}`;
/** Says on an object which Plugin installed it. */
export const PLUGIN_LABEL = "fleetwright.dev/plugin";

/** A manifest with where it belongs. */
export interface MappedManifest {
  /** With its namespace and our labels. */
  manifest: Manifest;
  resource: Resource;
  /** The same for all versions of its API. */
  id: string;
}

/** A manifest that belongs nowhere, or nobody can say where. */
export interface UnmappedManifest {
  manifest: Manifest;
  problem: InstallFailure;
}

/** The manifests of a plugin, mapped as far as that is possible. */
export interface RestMapping {
  mapped: MappedManifest[];
  unmapped: UnmappedManifest[];
}

/** The value of {@link PLUGIN_LABEL} for a Plugin. */
export function pluginLabel(plugin: string): string {
  return derivedName("", plugin, 63);
}

/** The labels of what a Plugin installs. */
export function pluginLabels(plugin: string): Record<string, string> {
  return { ...ownLabels(CONTROLLER), [PLUGIN_LABEL]: pluginLabel(plugin) };
}

/** Whether a Plugin installed an object. */
export function isOf(plugin: string, object: KubernetesObject): boolean {
  return isOwn(object, CONTROLLER) && object.metadata.labels?.[PLUGIN_LABEL] === pluginLabel(plugin);
}

/** Finds out where the manifests of a plugin belong. */
export async function mapManifests(
  plugin: string,
  manifests: readonly Manifest[],
  namespace: string,
  discovery: Discovery,
  signal: AbortSignal,
): Promise<RestMapping> {
  const defined = new Map(manifests.flatMap(definedBy).map((resource) => [apiKind(resource), resource]));
  const mapped: MappedManifest[] = [];
  const unmapped: UnmappedManifest[] = [];
  for (const manifest of manifests) {
    const own = defined.get(`${manifest.apiVersion} ${manifest.kind}`);
    const found = own === undefined ? await discovery.find(manifest, signal) : { resource: own };
    if ("resource" in found) mapped.push(mappedTo(plugin, manifest, found.resource, namespace));
    else unmapped.push({ manifest, problem: unmappedFailure(manifest, found) });
  }
  return { mapped, unmapped };
}

function mappedTo(plugin: string, manifest: Manifest, resource: Resource, namespace: string): MappedManifest {
  const { namespace: given, ...metadata } = manifest.metadata;
  const where = resource.namespaced ? { namespace: given ?? namespace } : {};
  const labels = { ...metadata.labels, ...pluginLabels(plugin) };
  const whole = { ...manifest, metadata: { ...metadata, ...where, labels } };
  return { manifest: whole, resource, id: `${kindName(whole)} ${where.namespace ?? ""}/${metadata.name}` };
}

function unmappedFailure(
  manifest: Manifest,
  found: { missing: true } | { unavailable: string },
): InstallFailure {
  const what = `${nameOf(manifest)} (${manifest.apiVersion})`;
  return "missing" in found
    ? {
        reason: "KindMissing",
        message: `${what} is of a kind that this cluster does not serve: install its CustomResourceDefinition first.`,
      }
    : {
        reason: "ApiUnavailable",
        message: `${what} waits for its API, which is unavailable: ${found.unavailable}. See kubectl get apiservices.`,
        transient: true,
      };
}

/** The resources that a custom resource definition makes. */
export function definedBy({ kind, apiVersion, spec }: Manifest): Resource[] {
  if (kind !== "CustomResourceDefinition" || groupOf({ apiVersion }) !== "apiextensions.k8s.io") return [];
  if (!isRecord(spec) || !isRecord(spec.names) || !Array.isArray(spec.versions)) return [];
  const { group, names, scope } = spec;
  const { plural, kind: made } = names;
  if (typeof group !== "string" || typeof plural !== "string" || typeof made !== "string") return [];
  return spec.versions.flatMap((version: unknown) =>
    isRecord(version) && typeof version.name === "string"
      ? [{ group, version: version.name, kind: made, plural, namespaced: scope === "Namespaced" }]
      : [],
  );
}

function apiKind({ group, version, kind }: Resource): string {
  return `${group}/${version} ${kind}`;
}
