// Where an object has the pods that it makes.
import { isRecord, type KubernetesObject } from "../runtime";
import { kindName } from "./kind-name";

const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "Deployment.apps": ["spec", "template"],
  "StatefulSet.apps": ["spec", "template"],
  "DaemonSet.apps": ["spec", "template"],
  "ReplicaSet.apps": ["spec", "template"],
  "Job.batch": ["spec", "template"],
  "CronJob.batch": ["spec", "jobTemplate", "spec", "template"],
  Pod: [],
};

/** The pod that an object makes: its metadata and spec; undefined for what makes none. */
export function podTemplateOf(object: KubernetesObject): Record<string, unknown> | undefined {
  const path = TEMPLATES[kindName(object)];
  if (path === undefined) return undefined;
  let here: unknown = object;
  for (const step of path) here = isRecord(here) ? here[step] : undefined;
  return isRecord(here) ? here : undefined;
}
