import path from "node:path";
import { withExtra } from "./component-arguments";
import { CONTAINERD_SOCKET, type Layout } from "./layout";
import type { Settings } from "./settings";

/** What a node learns from the cluster. */
export interface ClusterFacts {
  clusterCidr: string;
  clusterDns: string;
  clusterDomain: string;
  disableKubeProxy: boolean;
}

/** The kubelet's configuration file. */
export function kubeletConfig(settings: Settings, layout: Layout, cluster: ClusterFacts): unknown {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: "0.0.0.0",
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: path.join(layout.node, "client-ca.crt") },
    },
    authorization: { mode: "Webhook" },
    tlsCertFile: path.join(layout.node, "serving-kubelet.crt"),
    tlsPrivateKeyFile: path.join(layout.node, "serving-kubelet.key"),
    clusterDNS: [cluster.clusterDns],
    clusterDomain: cluster.clusterDomain,
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    staticPodPath: layout.podManifests,
    ...(settings.resolvConf === undefined ? {} : { resolvConf: settings.resolvConf }),
    ...(settings.cloudProvider === undefined ? { providerID: `rke2://${settings.nodeName}` } : {}),
    protectKernelDefaults: settings.protectKernelDefaults,
    // What the sandbox's machines need; see test/harness/node.
    cgroupDriver: "cgroupfs",
    failCgroupV1: false,
    failSwapOn: false,
    evictionHard: { "memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    nodeStatusUpdateFrequency: "5s",
    serializeImagePulls: false,
  };
}

/** The kubelet's command line. */
export function kubeletArguments(settings: Settings, layout: Layout): string[] {
  return withExtra(
    {
      config: path.join(layout.agent, "etc", "kubelet.json"),
      kubeconfig: path.join(layout.agent, "kubelet.kubeconfig"),
      "hostname-override": settings.nodeName,
      "node-ip": settings.nodeIp,
      "node-labels": settings.labels.length === 0 ? undefined : settings.labels,
      "register-with-taints": settings.taints.length === 0 ? undefined : settings.taints,
      // Nodes of a cloud provider wait for its controller manager; RKE2's own one does that work otherwise.
      "cloud-provider": settings.cloudProvider === undefined ? undefined : "external",
    },
    settings.extraArguments.kubelet,
  );
}

/** The command line of kube-proxy. */
export function kubeProxyArguments(settings: Settings, layout: Layout, cluster: ClusterFacts): string[] {
  return withExtra(
    {
      "cluster-cidr": cluster.clusterCidr,
      "healthz-bind-address": "127.0.0.1",
      "hostname-override": settings.nodeName,
      kubeconfig: path.join(layout.agent, "kubeproxy.kubeconfig"),
      "proxy-mode": "nftables",
      // The table of connections is the host's; its size is not for a machine to change.
      "conntrack-max-per-core": 0,
      "conntrack-min": 0,
      "conntrack-tcp-timeout-established": "0s",
      "conntrack-tcp-timeout-close-wait": "0s",
    },
    settings.extraArguments["kube-proxy"],
  );
}
