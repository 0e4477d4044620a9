// What of an object on the hub goes to a member: all that a person wrote, and nothing that the hub's API server made up.
import { isRecord, type KubernetesObject } from "../runtime";
import { JOB_LABELS, placeableKind } from "./kinds";
import { podTemplateOf } from "./pod-template";

/** An object as it is applied in a member. */
export interface Manifest extends KubernetesObject {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/** What else decides what goes down. */
export interface ManifestOptions {
  /** Whether a HorizontalPodAutoscaler there has this object for its target: then replicas are its own. */
  isAutoscaled?: boolean;
}

const OUR_PREFIX = "fleetwright.dev/";
const CLIENT_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

/** The manifest of an object. The object is not changed. */
export function manifestOf(root: KubernetesObject, { isAutoscaled = false }: ManifestOptions = {}): Manifest {
  const { apiVersion = "", kind = "", metadata, ...fields } = withoutNulls(root);
  const special = placeableKind({ apiVersion, kind });
  const rest: Record<string, unknown> = { ...fields };
  delete rest.status;
  const { name, namespace, labels, annotations } = metadata;
  const hidden = new Set([CLIENT_ANNOTATION, ...(special?.annotations ?? [])]);
  const manifest: Manifest = {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...kept("labels", labels, (key) => !key.startsWith(OUR_PREFIX)),
      ...kept("annotations", annotations, (key) => !key.startsWith(OUR_PREFIX) && !hidden.has(key)),
    },
    ...rest,
  };
  for (const path of [...(special?.strip ?? []), ...(special?.leave ?? [])])
    remove(manifest, path.split("."));
  if (isAutoscaled && special?.isScaled === true) remove(manifest, ["spec", "replicas"]);
  EXTRAS[kind]?.(manifest);
  const template = podTemplateOf(manifest);
  if (template !== undefined && kind !== "Pod") remove(template, ["metadata", "creationTimestamp"]);
  return manifest;
}

const EXTRAS: Readonly<Record<string, (manifest: Manifest) => void>> = {
  Service({ spec }) {
    // A service without an address says so; any other gets one of the member's.
    if (!isRecord(spec) || spec.clusterIP === "None") return;
    delete spec.clusterIP;
    delete spec.clusterIPs;
  },
  Job({ spec }) {
    if (!isRecord(spec) || spec.manualSelector === true) return;
    delete spec.selector;
    for (const label of JOB_LABELS) remove(spec, ["template", "metadata", "labels", label]);
  },
};

function kept(
  field: "labels" | "annotations",
  entries: Readonly<Record<string, string>> | undefined,
  isKept: (key: string) => boolean,
): { labels?: Record<string, string>; annotations?: Record<string, string> } {
  const left = Object.entries(entries ?? {}).filter(([key]) => isKept(key));
  return left.length === 0 ? {} : { [field]: Object.fromEntries(left) };
}

function remove(value: unknown, [step, ...rest]: readonly string[]): void {
  if (step === undefined) return;
  if (step === "*") {
    if (Array.isArray(value)) for (const entry of value) remove(entry, rest);
  } else if (isRecord(value)) {
    if (rest.length === 0) Reflect.deleteProperty(value, step);
    else remove(value[step], rest);
  }
}

/** A copy without what is null, which says nothing and would be refused where a type does not allow it. */
function withoutNulls<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_key, part: unknown) => (part === null ? undefined : part))) as T;
}
