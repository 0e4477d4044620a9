// What RKE2 shows of its control plane: mirror pods of the static pods on its servers.
import type { Pod } from "../../../controllers/coordinator/upgrades/drain";
import { isAlreadyExists, type ApiClient, type Resource } from "../../../controllers/runtime";

const COMPONENTS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];
const PODS: Resource<Pod> = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
const namespace = "kube-system";

/** Labels of a node that is a server of RKE2. */
export const SERVER_LABELS = {
  "node-role.kubernetes.io/control-plane": "true",
  "node-role.kubernetes.io/etcd": "true",
};

function imageOf(component: string, version: string): string {
  return `example.com/${component}:${version.replace("+", "-")}-build20260101`;
}

/**
 * Makes the mirror pods that RKE2's kubelet makes of a server's static pods, or brings those that are there to this version. They are
 * not made anew: whoever still works on the deletion of a pod, as a busy kwok does, would take the next one of its name.
 */
export async function makeControlPlanePods(client: ApiClient, node: string, version: string): Promise<void> {
  for (const component of COMPONENTS) {
    const name = `${component}-${node}`;
    const metadata = {
      name,
      namespace,
      labels: { tier: "control-plane", component },
      annotations: { "kubernetes.io/config.mirror": "x" },
    };
    const containers = [{ name: component, image: imageOf(component, version) }];
    const spec = { nodeName: node, hostNetwork: true, priorityClassName: "system-node-critical", containers };
    await client.create(PODS, { metadata, spec }).catch(async (error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
      await client.patch(PODS, { namespace, name }, { spec: { containers } });
    });
    await setPodReady(client, name, true);
  }
}

/** Says of a pod of the control plane whether it is Ready. */
export async function setPodReady(client: ApiClient, name: string, ready: boolean): Promise<void> {
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
  const status = { phase: "Running", conditions };
  await client.patch(PODS, { namespace, name }, { status }, { subresource: "status" });
}

/** Brings the pods of a server to a version, if it has any. */
export async function upgradeControlPlanePods(
  client: ApiClient,
  node: string,
  version: string,
): Promise<void> {
  for (const component of COMPONENTS) {
    const containers = [{ name: component, image: imageOf(component, version) }];
    const ref = { namespace, name: `${component}-${node}` };
    const patch = client.patch(PODS, ref, { spec: { containers } });
    await patch.catch(() => {});
  }
}

/** Removes all pods of the control plane. */
export async function removeControlPlanePods(client: ApiClient): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods?gracePeriodSeconds=0`;
  await client.request({ method: "DELETE", path, query: {} });
}
