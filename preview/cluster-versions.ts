// Asks a cluster which versions it has reached. Only reads, with three requests.
import https from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { load } from "js-yaml";
import { API_VERSION, SYSTEM_NAMESPACE } from "../api/names";
import { errorMessage } from "../lib/failure";
import { listAt, parseJson, textAt } from "../lib/json";
import type * as connections from "../tunnel/bastion-connection";
import type { BastionLogin } from "../tunnel/settings";

/** What a cluster says about versions. */
export interface ClusterVersions {
  /** The servers, with what their kubelets say. */
  servers: readonly { name: string; version: string }[];
  /** The ClusterUpgrades that have begun, whatever became of them. */
  upgrades: readonly { name: string; version: string; phase: string }[];
  /** What the last update of a stack declared; undefined if none says. */
  declared: string | undefined;
}

/** How long a preview waits for a cluster that does not answer. */
const TIMEOUT_MS = 5000;
/** An upgrade in one of these has touched no node. */
const BEFORE_NODES = ["", "Pending", "Preflight"];

/** How a cluster is reached. */
export interface Reach {
  /** How long it may take to answer, once it is reached. @default 5000 */
  timeoutMs?: number;
  /** The way through a bastion. @default straight */
  dial?: ((target: { host: string; port: number }) => Promise<Duplex>) | undefined;
}

/** Asks the cluster of a kubeconfig, through its bastion where it has one. */
export async function versionsOf(
  kubeconfig: string,
  login: BastionLogin | undefined,
): Promise<ClusterVersions> {
  if (login === undefined) return readVersions(kubeconfig);
  // Not by the tunnel of this run, which may lead through another bastion, or not be open yet.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- SSH is loaded where it is needed
  const { BastionConnection } = require("../tunnel/bastion-connection") as typeof connections;
  const bastion = new BastionConnection(login);
  try {
    return await readVersions(kubeconfig, { dial: (target) => bastion.forward(target) });
  } finally {
    bastion.close();
  }
}

/** Asks the cluster of a kubeconfig as RKE2 writes it: with a client certificate, and the authority in it. */
export async function readVersions(
  kubeconfig: string,
  { timeoutMs = TIMEOUT_MS, dial }: Reach = {},
): Promise<ClusterVersions> {
  const config = load(kubeconfig);
  const cluster = ["clusters", 0, "cluster"] as const;
  const user = ["users", 0, "user"] as const;
  const server = textAt(config, ...cluster, "server") ?? "";
  const decoded = (...path: (string | number)[]): Buffer | undefined => {
    const text = textAt(config, ...path);
    return text === undefined ? undefined : Buffer.from(text, "base64");
  };
  const secrets = {
    ca: decoded(...cluster, "certificate-authority-data"),
    cert: decoded(...user, "client-certificate-data"),
    key: decoded(...user, "client-key-data"),
  };
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ...secrets });
  const connect = async (): Promise<https.RequestOptions> => {
    if (dial === undefined) return { agent };
    const { hostname, port } = new URL(server);
    const socket = await dial({ host: hostname, port: Number(port) || 443 });
    const servername = isIP(hostname) === 0 ? hostname : "";
    return {
      createConnection: () => tls.connect({ ...secrets, host: hostname, servername, socket }),
    };
  };
  let signal: AbortSignal | undefined;
  const ask = async (path: string): Promise<unknown> => {
    const way = await connect();
    // What is on the way has limits of its own.
    signal ??= AbortSignal.timeout(timeoutMs);
    return get(new URL(path, server), { ...way, signal });
  };
  const ours = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/configmaps/fleetwright-stack`;
  try {
    const [nodes, upgrades, record] = await Promise.all([
      ask("/api/v1/nodes?labelSelector=node-role.kubernetes.io/control-plane"),
      ask(`/apis/${API_VERSION}/clusterupgrades`),
      ask(ours),
    ]);
    return {
      servers: listAt(nodes, "items").map((node) => ({
        name: textAt(node, "metadata", "name") ?? "",
        version: textAt(node, "status", "nodeInfo", "kubeletVersion") ?? "",
      })),
      upgrades: listAt(upgrades, "items")
        .map((upgrade) => ({
          name: textAt(upgrade, "metadata", "name") ?? "",
          version: textAt(upgrade, "spec", "version") ?? "",
          phase: textAt(upgrade, "status", "phase") ?? "",
        }))
        .filter(({ phase }) => !BEFORE_NODES.includes(phase)),
      declared: textAt(record, "data", "version"),
    };
  } catch (error) {
    const cause = signal?.aborted === true ? `no answer within ${timeoutMs / 1000} s` : errorMessage(error);
    throw new Error(`${server}: ${cause}`, { cause: error });
  } finally {
    agent.destroy();
  }
}

/** What is at an address; undefined if there is nothing, as before our kinds are there. */
function get(url: URL, options: https.RequestOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = https.get(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode = 0 } = response;
        const body = parseJson(Buffer.concat(chunks).toString());
        if (statusCode === 200) resolve(body);
        else if (statusCode === 404) resolve(undefined);
        else
          reject(
            new Error(`${url.pathname} was answered with ${statusCode} ${textAt(body, "message") ?? ""}`),
          );
      });
    });
    request.on("error", reject);
  });
}
