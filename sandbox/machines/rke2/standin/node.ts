// kubelet, kube-proxy and pod network of a node of the stand-in.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { ApiClient } from "../../../controlplane/api";
import type { CertifiedKey } from "../../../controlplane/certificate";
import { errorMessage } from "../../../../lib/failure";
import { writePrivate } from "../../../../lib/files";
import type { ProcessGroup } from "./process-group";
import { kubeconfigText } from "./kubeconfig";
import { API_PORT, type Layout } from "./layout";
import { writePair } from "./leaf-certificates";
import { log } from "./log";
import { kubeletArguments, kubeletConfig, kubeProxyArguments, type ClusterFacts } from "./node-arguments";
import { runPodNetwork } from "./pod-network";
import type { Settings } from "./settings";

/** What a node needs to know and to have to take part in a cluster. */
export interface NodeCredentials {
  cluster: ClusterFacts;
  serverCa: string;
  clientCa: string;
  kubelet: CertifiedKey;
  kubeletServing: CertifiedKey;
  kubeProxy: CertifiedKey;
}

const API = `https://127.0.0.1:${API_PORT}`;

/** Makes the machine a node: kubelet, kube-proxy and the network of pods. Images and containerd must be there. */
export async function startNode(
  processes: ProcessGroup,
  settings: Settings,
  layout: Layout,
  credentials: NodeCredentials,
  device: string,
): Promise<void> {
  const { agent } = layout;
  await mkdir(path.join(agent, "etc"), { recursive: true });
  await mkdir(layout.podManifests, { recursive: true, mode: 0o700 });
  await writeFile(path.join(agent, "server-ca.crt"), credentials.serverCa);
  await writeFile(path.join(agent, "client-ca.crt"), credentials.clientCa);
  await writePair(path.join(agent, "client-kubelet"), credentials.kubelet);
  await writePair(path.join(agent, "serving-kubelet"), credentials.kubeletServing);
  await writePair(path.join(agent, "client-kube-proxy"), credentials.kubeProxy);
  await writePrivate(
    path.join(agent, "kubelet.kubeconfig"),
    kubeconfigText(API, credentials.serverCa, credentials.kubelet),
  );
  await writePrivate(
    path.join(agent, "kubeproxy.kubeconfig"),
    kubeconfigText(API, credentials.serverCa, credentials.kubeProxy),
  );
  const config = kubeletConfig(settings, layout, credentials.cluster);
  await writeFile(path.join(agent, "etc", "kubelet.json"), `${JSON.stringify(config, undefined, 2)}\n`);
  await processes.start({
    name: "kubelet",
    command: path.join(layout.bin, "kubelet"),
    args: kubeletArguments(settings, layout),
    logFile: path.join(layout.logs, "kubelet.log"),
  });
  if (!credentials.cluster.disableKubeProxy) {
    await processes.start({
      name: "kube-proxy",
      command: path.join(layout.bin, "kube-proxy"),
      args: kubeProxyArguments(settings, layout, credentials.cluster),
      logFile: path.join(layout.logs, "kube-proxy.log"),
    });
  }
  if (settings.cni === "none") return;
  // A kubelet may read its own node only; kube-proxy may read them all.
  const api = new ApiClient({
    endpoint: API,
    authority: credentials.serverCa,
    client: credentials.kubeProxy,
  });
  runPodNetwork(api, settings.nodeName, device).catch((error: unknown) => log("error", errorMessage(error)));
}
