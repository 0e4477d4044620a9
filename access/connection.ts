// The cluster that the command is about, and how an administrator reaches it: by a kubeconfig, or the output of a stack.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { KubeConfig, type Cluster } from "@kubernetes/client-node";
import { ApiClient, credentialsOf } from "../controllers/runtime";
import { errorMessage, Failure } from "../lib/failure";

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
}

/** Opens the cluster. */
export async function connect(where: Where): Promise<Connection> {
  const config = await load(where);
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
  return {
    endpoint: endpointOf(cluster),
    client: new ApiClient(credentialsOf(config), { userAgent: "fleetwright-access" }),
  };
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

async function load({ kubeconfig, stack }: Where): Promise<KubeConfig> {
  if (kubeconfig !== undefined && stack !== undefined)
    throw new Failure("--kubeconfig and --stack both name a cluster: give one of them.");
  const config = new KubeConfig();
  try {
    if (stack !== undefined) config.loadFromString(await outputOf(stack));
    else if (kubeconfig !== undefined) config.loadFromFile(kubeconfig);
    else config.loadFromDefault();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      `The kubeconfig ${kubeconfig ?? "of this account"} cannot be read: ${errorMessage(error)}.`,
    );
  }
  return config;
}

async function outputOf(stack: string): Promise<string> {
  const args = ["stack", "output", "kubeconfig", "--show-secrets", "--stack", stack];
  try {
    return (await promisify(execFile)("pulumi", args)).stdout;
  } catch (error) {
    throw new Failure(
      `\`pulumi ${args.join(" ")}\` failed: ${errorMessage(error)} A stack of an existing cluster has no such output: use --context.`,
    );
  }
}
