// The cluster that the command is about, and how an administrator reaches it: by a kubeconfig, or the output of a stack.
import { readFileSync } from "node:fs";
import { KubeConfig, type Cluster } from "@kubernetes/client-node";
import { ApiClient, credentialsOf } from "../controllers/runtime";
import { errorMessage, Failure } from "../lib/failure";
import { at, isObject, textAt } from "../lib/json";
import { borrowTunnel, type BorrowedTunnel } from "../tunnel/borrowed-tunnel";
import { outputsOf, tunnelOf } from "../tunnel/outputs";

/** Where to look for the cluster. */
export interface Where {
  kubeconfig?: string | undefined;
  context?: string | undefined;
  stack?: string | undefined;
}

/** How anyone reaches the API server, whoever they are. */
export interface Endpoint {
  /** What the cluster is called in kubeconfigs. */
  name: string;
  server: string;
  /** Base64 of the PEM. */
  authority: string;
  tlsServerName: string | undefined;
  proxyUrl: string | undefined;
}

/** An administrator's way into a cluster. */
export interface Connection {
  client: ApiClient;
  endpoint: Endpoint;
  /** Ends the client, and the tunnel that was opened for it. */
  close(): Promise<void>;
}

/** Opens the cluster, and for a stack behind a bastion the tunnel to it. */
export async function connect(where: Where): Promise<Connection> {
  const { config, outputs } = await load(where);
  if (where.context !== undefined) {
    const known = config.getContexts().map(({ name }) => name);
    if (!known.includes(where.context))
      throw new Failure(
        `The kubeconfig has no context ${JSON.stringify(where.context)}: use one of ${known.join(", ") || "those of another file"}.`,
      );
    config.setCurrentContext(where.context);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new Failure(
      "The kubeconfig has no current context: name one by --context, a file by --kubeconfig, or a stack by --stack.",
    );
  const endpoint = endpointOf(cluster);
  const tunnel = await tunnelFor(outputs);
  const client = new ApiClient(credentialsOf(config), { userAgent: "fleetwright-access" });
  return {
    endpoint,
    client,
    async close() {
      client.close();
      await tunnel?.close();
    },
  };
}

async function tunnelFor(outputs: unknown): Promise<BorrowedTunnel | undefined> {
  return isObject(at(outputs, "bastion")) ? borrowTunnel(tunnelOf(outputs)) : undefined;
}

/** What a kubeconfig says about a cluster. */
export function endpointOf(cluster: Cluster): Endpoint {
  const { name, server, caData, caFile, skipTLSVerify, tlsServerName, proxyUrl } = cluster;
  if (skipTLSVerify)
    throw new Failure(
      `The kubeconfig does not check who answers at ${server} (insecure-skip-tls-verify): put the certificate-authority-data of the cluster into it, since a token would go to whoever answers.`,
    );
  const authority = caData ?? (caFile === undefined ? undefined : readFileSync(caFile).toString("base64"));
  if (authority === undefined)
    throw new Failure(
      `The kubeconfig has no certificate-authority-data for ${server}: put the certificate of the cluster's authority into it.`,
    );
  return { name, server, authority, tlsServerName, proxyUrl };
}

async function load({ kubeconfig, stack }: Where): Promise<{ config: KubeConfig; outputs: unknown }> {
  if (kubeconfig !== undefined && stack !== undefined)
    throw new Failure("--kubeconfig and --stack both name a cluster: give one of them.");
  const config = new KubeConfig();
  const outputs = stack === undefined ? undefined : await outputsOf(stack);
  try {
    if (stack !== undefined) config.loadFromString(kubeconfigOf(outputs, stack));
    else if (kubeconfig !== undefined) config.loadFromFile(kubeconfig);
    else config.loadFromDefault();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      `The kubeconfig ${kubeconfig ?? "of this account"} cannot be read: ${errorMessage(error)}.`,
    );
  }
  return { config, outputs };
}

function kubeconfigOf(outputs: unknown, stack: string): string {
  const found = textAt(outputs, "kubeconfig");
  if (found === undefined)
    throw new Failure(
      `The stack ${stack} has no output kubeconfig: it has built no cluster yet, or is one of an existing cluster; use --context.`,
    );
  return found;
}
