// How an object is, by what its own controller says of it.
import { isRecord, type KubernetesObject } from "../runtime";
import { kindName } from "./kind-name";

/** How an installed object is. */
export interface Health {
  health: "Healthy" | "Progressing" | "Unhealthy" | "Missing" | "Unknown";
  /** Why it is not healthy. */
  message?: string;
}

const HEALTHY: Health = { health: "Healthy" };

/** Judges an object by what its own controller says in status. */
export function healthOf(live: KubernetesObject): Health {
  if (live.metadata.deletionTimestamp !== undefined)
    return { health: "Unhealthy", message: "It is being deleted." };
  const check = HEALTH_CHECKS[kindName(live)] ?? byConditions;
  return check(new View(live));
}

/** Reads fields of any type out of an object. */
class View {
  readonly #object: KubernetesObject;

  constructor(object: KubernetesObject) {
    this.#object = object;
  }

  /** Whether its controller has seen the newest spec. */
  get isObserved(): boolean {
    return this.number("status.observedGeneration") >= (this.#object.metadata.generation ?? 0);
  }

  at(path: string): unknown {
    return path
      .split(".")
      .reduce<unknown>((here, key) => (isRecord(here) ? here[key] : undefined), this.#object);
  }

  number(path: string, otherwise = 0): number {
    const value = this.at(path);
    return typeof value === "number" ? value : otherwise;
  }

  text(path: string): string {
    const value = this.at(path);
    return typeof value === "string" ? value : "";
  }

  condition(type: string): { status: string; message: string } | undefined {
    const conditions = this.at("status.conditions");
    if (!Array.isArray(conditions)) return undefined;
    const found: unknown = conditions.find((entry: unknown) => isRecord(entry) && entry.type === type);
    if (!isRecord(found)) return undefined;
    const { status, reason, message } = found;
    const texts = [reason, message].filter((text): text is string => typeof text === "string" && text !== "");
    return { status: typeof status === "string" ? status : "", message: texts.join(": ") };
  }
}

function progressing(message: string): Health {
  return { health: "Progressing", message };
}

function unhealthy(message: string): Health {
  return { health: "Unhealthy", message };
}

function counted(ready: number, wanted: number, what: string): Health {
  return ready >= wanted ? HEALTHY : progressing(`${ready} of ${wanted} ${what}.`);
}

function deployment(view: View): Health {
  if (!view.isObserved) return progressing("Its controller has not seen the newest version yet.");
  const failed = view.condition("Progressing");
  if (failed?.status === "False") return unhealthy(failed.message);
  const wanted = view.number("spec.replicas", 1);
  const updated = view.number("status.updatedReplicas");
  if (updated < wanted) return progressing(`${updated} of ${wanted} replicas are of the newest version.`);
  if (view.number("status.replicas") > updated)
    return progressing("Replicas of an earlier version are still there.");
  return counted(view.number("status.availableReplicas"), wanted, "replicas are available");
}

function daemonSet(view: View): Health {
  if (!view.isObserved) return progressing("Its controller has not seen the newest version yet.");
  const wanted = view.number("status.desiredNumberScheduled");
  const updated = view.number("status.updatedNumberScheduled");
  if (updated < wanted && view.text("spec.updateStrategy.type") !== "OnDelete")
    return progressing(`${updated} of ${wanted} nodes have the newest version.`);
  return counted(view.number("status.numberAvailable"), wanted, "nodes have a pod that is available");
}

function statefulSet(view: View): Health {
  if (!view.isObserved) return progressing("Its controller has not seen the newest version yet.");
  const wanted = view.number("spec.replicas", 1);
  const partition = view.number("spec.updateStrategy.rollingUpdate.partition");
  const rolls = view.text("spec.updateStrategy.type") !== "OnDelete" && partition === 0;
  if (rolls && view.text("status.updateRevision") !== view.text("status.currentRevision"))
    return progressing("Replicas of an earlier version are still there.");
  return counted(view.number("status.readyReplicas"), wanted, "replicas are ready");
}

function job(view: View): Health {
  const failed = view.condition("Failed");
  if (failed?.status === "True") return unhealthy(failed.message);
  if (view.condition("Complete")?.status === "True" || view.at("spec.suspend") === true) return HEALTHY;
  return progressing("It has not ended yet.");
}

function pod(view: View): Health {
  const phase = view.text("status.phase");
  if (phase === "Succeeded" || view.condition("Ready")?.status === "True") return HEALTHY;
  return phase === "Failed"
    ? unhealthy(view.text("status.message") || "It failed.")
    : progressing(`It is ${phase || "not started"}.`);
}

function definition(view: View): Health {
  const names = view.condition("NamesAccepted");
  if (names?.status === "False") return unhealthy(names.message);
  return view.condition("Established")?.status === "True"
    ? HEALTHY
    : progressing("It is not established yet.");
}

function claim(view: View): Health {
  const phase = view.text("status.phase");
  if (phase === "Bound") return HEALTHY;
  return phase === "Lost"
    ? unhealthy("Its volume is lost.")
    : progressing("It is not bound to a volume yet.");
}

function service(view: View): Health {
  const waits =
    view.text("spec.type") === "LoadBalancer" && !Array.isArray(view.at("status.loadBalancer.ingress"));
  return waits ? progressing("It has no load balancer yet.") : HEALTHY;
}

function namespace(view: View): Health {
  return view.text("status.phase") === "Terminating" ? unhealthy("It is being deleted.") : HEALTHY;
}

function apiService(view: View): Health {
  const available = view.condition("Available");
  if (available?.status === "True") return HEALTHY;
  return unhealthy(available?.message ?? "Nobody has said yet whether it is available.");
}

/** Any other kind: `Ready` or `Available` if it says so, and otherwise it is healthy by being there. */
function byConditions(view: View): Health {
  for (const type of ["Ready", "Available"]) {
    const found = view.condition(type);
    if (found !== undefined && found.status !== "True")
      return progressing(found.message || `It is not ${type}.`);
  }
  return HEALTHY;
}

const HEALTH_CHECKS: Readonly<Record<string, (view: View) => Health>> = {
  "Deployment.apps": deployment,
  "DaemonSet.apps": daemonSet,
  "StatefulSet.apps": statefulSet,
  "Job.batch": job,
  Pod: pod,
  Namespace: namespace,
  PersistentVolumeClaim: claim,
  Service: service,
  "CustomResourceDefinition.apiextensions.k8s.io": definition,
  "APIService.apiregistration.k8s.io": apiService,
};
