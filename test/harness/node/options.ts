import type { CertifiedKey } from "../../../sandbox/controlplane/certificate";

/** How a machine becomes a node of a cluster. */
export interface NodeOptions {
  /** The address of the API server as the machine reaches it, such as `https://10.0.1.1:6443`. */
  apiServer: string;
  /** A name in the API server's certificate, where its address is not in it. @default the address */
  tlsServerName?: string;
  /** PEM of the cluster's authority. */
  authority: string;
  /** Client certificate of the user `system:node:<name>` in the group `system:nodes`. */
  kubelet: CertifiedKey;
  /** Client certificate of the user `system:kube-proxy`. */
  kubeProxy: CertifiedKey;
  /** @default the machine's host name */
  name?: string;
  /** The addresses of the pods on this machine. */
  podCidr: string;
  /** The addresses of all pods of the cluster; what leaves it carries the machine's address. */
  clusterCidr: string;
  /** The name servers of pods. @default none: pods get the machine's own */
  clusterDns?: readonly string[];
  /** @default "cluster.local" */
  clusterDomain?: string;
  labels?: Readonly<Record<string, string>>;
  /** The programs, as paths on the host. */
  tools: { kubelet: string; kubeProxy: string };
  /** Archives of container images to import, besides the pause image. */
  images?: readonly string[];
}
