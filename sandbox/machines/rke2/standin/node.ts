import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { ApiClient } from "../../../controlplane/api";
import type { CertifiedKey } from "../../../controlplane/certificate";
import { errorMessage } from "../../../failure";
import { writePrivate } from "../../../files";
import type { Crew } from "./crew";
import { kubeconfigText } from "./kubeconfig";
import { API_PORT, type Layout } from "./layout";
import { writePair } from "./leaf-certificates";
import { log } from "./log";
import { kubeletArguments, kubeletConfig, kubeProxyArguments, type ClusterFacts } from "./node-arguments";
import { runPodNetwork } from "./pod-network";
import type { Settings } from "./settings";

/** What a node needs to know and to have to take part in a cluster. */
export interface NodePapers {
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
  crew: Crew,
  settings: Settings,
  layout: Layout,
  papers: NodePapers,
  device: string,
): Promise<void> {
  const { agent } = layout;
  await mkdir(path.join(agent, "etc"), { recursive: true });
  await mkdir(layout.podManifests, { recursive: true, mode: 0o700 });
  await writeFile(path.join(agent, "server-ca.crt"), papers.serverCa);
  await writeFile(path.join(agent, "client-ca.crt"), papers.clientCa);
  await writePair(path.join(agent, "client-kubelet"), papers.kubelet);
  await writePair(path.join(agent, "serving-kubelet"), papers.kubeletServing);
  await writePair(path.join(agent, "client-kube-proxy"), papers.kubeProxy);
  await writePrivate(
    path.join(agent, "kubelet.kubeconfig"),
    kubeconfigText(API, papers.serverCa, papers.kubelet),
  );
  await writePrivate(
    path.join(agent, "kubeproxy.kubeconfig"),
    kubeconfigText(API, papers.serverCa, papers.kubeProxy),
  );
  const config = kubeletConfig(settings, layout, papers.cluster);
  await writeFile(path.join(agent, "etc", "kubelet.json"), `${JSON.stringify(config, undefined, 2)}\n`);
  await crew.start({
    name: "kubelet",
    command: path.join(layout.bin, "kubelet"),
    args: kubeletArguments(settings, layout),
    logFile: path.join(layout.logs, "kubelet.log"),
  });
  if (!papers.cluster.disableKubeProxy) {
    await crew.start({
      name: "kube-proxy",
      command: path.join(layout.bin, "kube-proxy"),
      args: kubeProxyArguments(settings, layout, papers.cluster),
      logFile: path.join(layout.logs, "kube-proxy.log"),
    });
  }
  if (settings.cni === "none") return;
  // A kubelet may read its own node only; kube-proxy may read them all.
  const api = new ApiClient({ endpoint: API, authority: papers.serverCa, client: papers.kubeProxy });
  runPodNetwork(api, settings.nodeName, device).catch((error: unknown) => log("error", errorMessage(error)));
}
