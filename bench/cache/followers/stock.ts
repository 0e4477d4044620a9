// The stock informer of @kubernetes/client-node as a follower of the benchmark.
import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  type KubernetesListObject,
  type KubernetesObject,
} from "@kubernetes/client-node";
import { follow, Sights, taskOf } from "./answers";

const task = taskOf(process.argv);
const sights = new Sights();
void follow(sights, task, async () => {
  const config = new KubeConfig();
  config.loadFromFile(task.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const { namespace } = task;
  const list = (): Promise<KubernetesListObject<KubernetesObject>> =>
    task.resource === "secrets"
      ? api.listNamespacedSecret({ namespace })
      : api.listNamespacedConfigMap({ namespace });
  const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/${task.resource}`, list);
  let added = 0;
  informer.on("add", ({ metadata }) => {
    added += 1;
    sights.note(metadata?.resourceVersion);
  });
  informer.on("update", ({ metadata }) => sights.note(metadata?.resourceVersion));
  informer.on("error", (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  });
  // It resolves when the first list is in and the watch is open.
  await informer.start();
  return { objects: added, list: () => informer.list().length };
});
