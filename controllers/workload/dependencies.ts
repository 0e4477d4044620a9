// What an object needs to run, and what stands before it: these go where it goes.
import { isRecord, type KubernetesObject } from "../runtime";
import { kindName } from "./kind-name";
import { podTemplateOf } from "./pod-template";

/** An object that another needs, in the same namespace. */
export interface Dependency {
  /** As {@link kindName} has it. */
  kind: string;
  name: string;
}

/** What the pods of an object name: configuration, secrets, accounts and claims, each once. */
export function dependenciesOf(object: KubernetesObject): Dependency[] {
  const found = new Map<string, Dependency>();
  const add = (kind: string, name: unknown): void => {
    if (typeof name === "string" && name !== "") found.set(`${kind} ${name}`, { kind, name });
  };
  const spec = recordAt(podTemplateOf(object), "spec");
  if (spec !== undefined) ofPods(spec, add);
  const own = recordAt(object, "spec");
  if (kindName(object) === "StatefulSet.apps") add("Service", own?.serviceName);
  if (kindName(object) === "Ingress.networking.k8s.io" && own !== undefined) ofIngress(own, add);
  if (kindName(object) === "ServiceAccount")
    for (const { name } of recordsAt(object, "imagePullSecrets")) add("Secret", name);
  return [...found.values()];
}

type Add = (kind: string, name: unknown) => void;

function ofPods(spec: Record<string, unknown>, add: Add): void {
  if (spec.serviceAccountName !== "default") add("ServiceAccount", spec.serviceAccountName);
  for (const { name } of recordsAt(spec, "imagePullSecrets")) add("Secret", name);
  for (const volume of recordsAt(spec, "volumes")) {
    ofSource(volume, add);
    add("PersistentVolumeClaim", recordAt(volume, "persistentVolumeClaim")?.claimName);
    for (const source of recordsAt(recordAt(volume, "projected"), "sources")) ofSource(source, add);
  }
  const containers = ["initContainers", "containers"].flatMap((list) => recordsAt(spec, list));
  for (const container of containers) {
    for (const from of recordsAt(container, "envFrom")) {
      add("ConfigMap", recordAt(from, "configMapRef")?.name);
      add("Secret", recordAt(from, "secretRef")?.name);
    }
    for (const variable of recordsAt(container, "env")) {
      const from = recordAt(variable, "valueFrom");
      add("ConfigMap", recordAt(from, "configMapKeyRef")?.name);
      add("Secret", recordAt(from, "secretKeyRef")?.name);
    }
  }
}

// In a volume a secret is named by `secretName`, in a projection by `name`.
function ofSource(source: Record<string, unknown>, add: Add): void {
  add("ConfigMap", recordAt(source, "configMap")?.name);
  const secret = recordAt(source, "secret");
  add("Secret", secret?.secretName ?? secret?.name);
}

function ofIngress(spec: Record<string, unknown>, add: Add): void {
  for (const { secretName } of recordsAt(spec, "tls")) add("Secret", secretName);
  const backend = (holder: unknown, field: string): void =>
    add("Service", recordAt(recordAt(holder, field), "service")?.name);
  backend(spec, "defaultBackend");
  for (const rule of recordsAt(spec, "rules"))
    for (const path of recordsAt(recordAt(rule, "http"), "paths")) backend(path, "backend");
}

/** Whether a candidate is about a workload of the same namespace: a Service or budget that selects its pods, or its autoscaler. */
export function serves(candidate: KubernetesObject, workload: KubernetesObject): boolean {
  if (candidate.metadata.namespace !== workload.metadata.namespace) return false;
  const spec = recordAt(candidate, "spec");
  const labels = recordAt(recordAt(podTemplateOf(workload), "metadata"), "labels") ?? {};
  switch (kindName(candidate)) {
    case "Service":
      return selects(recordAt(spec, "selector"), labels);
    case "PodDisruptionBudget.policy":
      return selects(recordAt(recordAt(spec, "selector"), "matchLabels"), labels);
    case "HorizontalPodAutoscaler.autoscaling": {
      const target = recordAt(spec, "scaleTargetRef");
      return (
        target?.name === workload.metadata.name &&
        kindName({ apiVersion: text(target.apiVersion), kind: text(target.kind) }) === kindName(workload)
      );
    }
    default:
      return false;
  }
}

// An empty selector of a Service selects nothing.
function selects(
  selector: Record<string, unknown> | undefined,
  labels: Readonly<Record<string, unknown>>,
): boolean {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function recordAt(value: unknown, field: string): Record<string, unknown> | undefined {
  const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
  return isRecord(found) ? found : undefined;
}

function recordsAt(value: unknown, field: string): Record<string, unknown>[] {
  const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
  return Array.isArray(found) ? found.filter(isRecord) : [];
}
