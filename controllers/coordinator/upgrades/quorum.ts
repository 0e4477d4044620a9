// Decides whether the control plane is whole. Only then may one more of its nodes be taken out of it.
import type { Node } from "../native-resources";
import type { Pod } from "./drain";
import { isControlPlane, isReady, isVoter, kubeletVersion } from "./versions";

/** What is known of the control plane besides its nodes. */
export interface ControlPlaneFacts {
  /** Its pods in kube-system: mirrors of static pods, as RKE2 and kubeadm make them. */
  pods: readonly Pod[];
  /** Its nodes whose kubelet has been silent, with the seconds. Kubernetes calls them Ready for most of a minute more. */
  silent?: ReadonlyMap<string, number>;
  /** What speaks against it as a whole, such as an API server that is not ready. */
  problems: readonly string[];
}

const COMPONENTS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;
type Component = (typeof COMPONENTS)[number];

const ETCD_LABEL = "node-role.kubernetes.io/etcd";
const SERVER_LABELS = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/** What is wrong with the control plane, leaving out one node that is about to be taken out anyway. */
export function controlPlaneProblems(
  nodes: readonly Node[],
  facts: ControlPlaneFacts,
  except?: string,
): string[] {
  const members = nodes.filter(isControlPlane);
  return [
    ...facts.problems,
    ...members
      .filter(({ metadata }) => metadata.name !== except)
      .flatMap((node) => problemsOf(node, members, facts)),
  ];
}

/** What is wrong with one node of the control plane. */
export function problemsOf(
  node: Node,
  members: readonly Node[],
  { pods, silent }: ControlPlaneFacts,
): string[] {
  const { name } = node.metadata;
  const own = pods.filter(({ spec }) => spec?.nodeName === name);
  const problems: string[] = [];
  const seconds = silent?.get(name);
  if (!isReady(node)) problems.push(`${name} is not Ready`);
  else if (seconds !== undefined)
    problems.push(`nothing has been heard of the kubelet of ${name} for ${seconds} s`);
  if (isVoter(node) === false) problems.push(`${name} is no voting member of etcd yet`);
  for (const component of expectedOn(node, members, pods)) {
    const found = own.filter((pod) => componentOf(pod) === component);
    if (found.length === 0) problems.push(`${component} has no pod on ${name}`);
    else if (!found.some(isPodReady)) problems.push(`${component} on ${name} is not Ready`);
  }
  return problems;
}

/**
 * What has to run on a node. RKE2 runs all as static pods. Of other distributions nobody knows: some run none (k3s), so what
 * one node of the control plane shows is asked of all.
 */
function expectedOn(node: Node, members: readonly Node[], pods: readonly Pod[]): Component[] {
  const { labels = {} } = node.metadata;
  const isServer = SERVER_LABELS.some((label) => Object.hasOwn(labels, label));
  const hasEtcdNodes = members.some(({ metadata }) => Object.hasOwn(metadata.labels ?? {}, ETCD_LABEL));
  const isEtcd = hasEtcdNodes ? Object.hasOwn(labels, ETCD_LABEL) : isServer;
  const shown = new Set(pods.map(componentOf));
  const isRke2 = kubeletVersion(node).includes("+rke2");
  return COMPONENTS.filter((component) => {
    if (component === "etcd" ? !isEtcd : !isServer) return false;
    // RKE2 on a datastore of somebody else has no nodes of etcd.
    return shown.has(component) || (isRke2 && (component !== "etcd" || hasEtcdNodes));
  });
}

function componentOf({ metadata: { labels = {} } }: Pod): Component | undefined {
  return COMPONENTS.find((component) => labels.component === component);
}

function isPodReady({ status }: Pod): boolean {
  return status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;
}
