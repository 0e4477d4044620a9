import type { KubernetesObject, Resource } from "../runtime";

/** A namespace, as far as it is looked at. */
export interface Namespace extends KubernetesObject {
  status?: { phase?: string };
}

/** A service account, as far as it is looked at. */
export interface ServiceAccount extends KubernetesObject {
  imagePullSecrets?: { name?: string }[];
  automountServiceAccountToken?: boolean;
}

/** A secret; data are base64. */
export interface Secret extends KubernetesObject {
  type?: string;
  data?: Record<string, string>;
}

/** A config map. */
export interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
}

/** A node, as far as it is looked at. */
export interface Node extends KubernetesObject {
  spec?: { unschedulable?: boolean; providerID?: string };
  status?: {
    conditions?: { type: string; status: string; message?: string }[];
    nodeInfo?: { kubeletVersion?: string };
  };
}

function native(
  kind: string,
  plural: string,
  { group = "", version = "v1", namespaced = true }: Partial<Resource> = {},
): Omit<Resource, "objects"> {
  return { group, version, kind, plural, namespaced };
}

/** Namespaces. */
export const NAMESPACES: Resource<Namespace> = native("Namespace", "namespaces", { namespaced: false });
/** Service accounts. */
export const SERVICE_ACCOUNTS: Resource<ServiceAccount> = native("ServiceAccount", "serviceaccounts");
/** Secrets. */
export const SECRETS: Resource<Secret> = native("Secret", "secrets");
/** Config maps. */
export const CONFIG_MAPS: Resource<ConfigMap> = native("ConfigMap", "configmaps");
/** Nodes. */
export const NODES: Resource<Node> = native("Node", "nodes", { namespaced: false });

/** Whether a namespace is on its way out: nothing can be made in it any more. */
export function isTerminating({ metadata, status }: Namespace): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === "Terminating";
}
