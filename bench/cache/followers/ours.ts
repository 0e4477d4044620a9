// Our cache as a follower of the benchmark.
import {
  ApiClient,
  Informer,
  kubeconfigCredentials,
  type KubernetesObject,
  type Resource,
} from "../../../controllers/runtime";
import { follow, Sights, taskOf } from "./answers";

const RESOURCES: Readonly<Record<"secrets" | "configmaps", Resource>> = {
  secrets: { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true },
  configmaps: { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true },
};

const task = taskOf(process.argv);
const sights = new Sights();
void follow(sights, task, async () => {
  const client = new ApiClient(kubeconfigCredentials(task.kubeconfig));
  const informer = new Informer<KubernetesObject>(client, RESOURCES[task.resource], {
    namespace: task.namespace,
    streamingLists: process.env.STREAMING_LISTS === "true",
  });
  informer.onChange(({ after }) => sights.note(after?.metadata.resourceVersion));
  void informer.run(new AbortController().signal);
  await informer.synced();
  return { objects: informer.size, list: () => informer.list().length };
});
