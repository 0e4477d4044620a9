// `rke2 agent` of the stand-in: joins a cluster and runs a node.
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { CertifiedKey } from "../../../controlplane/certificate";
import { errorMessage, Failure } from "../../../../lib/failure";
import { readIfPresent } from "../../../../lib/files";
import { isObject, listAt, parseJson, textAt } from "../../../../lib/json";
import { startContainerd } from "./containerd";
import type { ProcessGroup } from "./process-group";
import { checkCis, prepareKernel } from "./kernel";
import { API_PORT, SUPERVISOR_PORT, type Layout } from "./layout";
import { ApiLoadBalancer } from "./load-balancer";
import { log } from "./log";
import { startNode, type NodeCredentials } from "./node";
import { ownPassword } from "./node-password";
import { linkPrograms } from "./programs";
import { writeRegistries } from "./registries";
import type { Release } from "./release";
import type { Settings } from "./settings";
import { getAsNode, SupervisorClient } from "./supervisor-client";
import { parseToken } from "./token";

const RETRY_MS = 5000;
const REFRESH_MS = 5000;

/** Runs an agent; returns when its kubelet runs. */
export async function runAgent(
  processes: ProcessGroup,
  settings: Settings,
  layout: Layout,
  release: Release,
  device: string,
): Promise<void> {
  if (settings.profile === "cis") await checkCis();
  await linkPrograms(release, layout);
  await writeRegistries(settings.registriesFile, layout);
  const token = parseToken(await tokenText(settings));
  const url = settings.server ?? "";
  const client = await insist(() => SupervisorClient.connect(url, token, "node"));
  const credentials = await insist(() => fetchCredentials(client, settings));
  await prepareKernel(credentials.cluster.clusterCidr);
  const containerd = startContainerd(processes, layout, release);
  // It is waited for below; that it may fail before is no reason to end without a word.
  containerd.catch(() => {});
  const balancer = new ApiLoadBalancer(
    path.join(layout.agent, "etc", "rke2-api-server-agent-load-balancer.json"),
    await firstServers(layout, url),
  );
  await balancer.open(API_PORT);
  await containerd;
  await startNode(processes, settings, layout, credentials, device);
  void refresh(balancer, url, credentials);
}

/** The token that was configured. */
export async function tokenText(settings: Settings): Promise<string> {
  if (settings.token !== undefined) return settings.token;
  const text = settings.tokenFile === undefined ? undefined : await readIfPresent(settings.tokenFile);
  if (text === undefined) throw new Failure(`The token file ${settings.tokenFile ?? ""} does not exist.`);
  return text.trim();
}

async function fetchCredentials(client: SupervisorClient, settings: Settings): Promise<NodeCredentials> {
  const headers = {
    "rke2-Node-Name": settings.nodeName,
    "rke2-Node-IP": settings.nodeIp,
    "rke2-Node-Password": await ownPassword(),
  };
  const pair = async (name: string): Promise<CertifiedKey> =>
    splitPair(await client.get(`/v1-rke2/${name}`, headers));
  const cluster = parseJson(await client.get("/v1-rke2/config"));
  return {
    cluster: {
      clusterCidr: textAt(cluster, "cluster-cidr") ?? "",
      clusterDns: textAt(cluster, "cluster-dns") ?? "",
      clusterDomain: textAt(cluster, "cluster-domain") ?? "",
      disableKubeProxy: isObject(cluster) && cluster["disable-kube-proxy"] === true,
    },
    kubeletServing: await pair("serving-kubelet.crt"),
    kubelet: await pair("client-kubelet.crt"),
    kubeProxy: await pair("client-kube-proxy.crt"),
    clientCa: await client.get("/v1-rke2/client-ca.crt"),
    serverCa: await client.get("/v1-rke2/server-ca.crt"),
  };
}

/** Takes a certificate and its key out of one text. */
export function splitPair(text: string): CertifiedKey {
  const at = text.search(/-----BEGIN (\w+ )?PRIVATE KEY-----/);
  if (at === -1) throw new Failure("The server sent a certificate without its key.");
  return { certificate: text.slice(0, at), key: text.slice(at) };
}

/** An agent waits for its server for ever; only a server that is not the token's ends it. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (/token CA hash does not match|invalid token/.test(errorMessage(error))) throw error;
      log("error", `Failed to retrieve agent configuration: ${errorMessage(error)}; retrying`);
      await pause(RETRY_MS);
    }
  }
}

async function firstServers(layout: Layout, url: string): Promise<string[]> {
  const stored = await readIfPresent(
    path.join(layout.agent, "etc", "rke2-api-server-agent-load-balancer.json"),
  );
  const known = listAt(parseJson(stored ?? ""), "ServerAddresses").map(String);
  return [...known, `${new URL(url).hostname}:${API_PORT}`];
}

/** Asks for the list of API servers: the registration address first, then each server that is known. */
async function refresh(balancer: ApiLoadBalancer, url: string, credentials: NodeCredentials): Promise<void> {
  for (;;) {
    const others = balancer.servers.map(
      (address) => `https://${address.split(":")[0] ?? ""}:${SUPERVISOR_PORT}`,
    );
    for (const base of [url, ...others]) {
      try {
        const text = await getAsNode(
          new URL("/v1-rke2/apiservers", base).href,
          credentials.serverCa,
          credentials.kubelet,
        );
        const list = parseJson(text);
        await balancer.update(Array.isArray(list) ? list.map(String) : []);
        break;
      } catch (error) {
        log("debug", errorMessage(error));
      }
    }
    await pause(REFRESH_MS);
  }
}
