import http from "node:http";
import { NODE_POOL_LABEL } from "../../../api/names";

const TIMEOUT_MS = 2000;
const TOKEN_SECONDS = 60;

/** The tag of an instance that names its pool. The service shows no tags with a slash, so it is not the label's name. */
export const POOL_TAG = "fleetwright-node-pool";

/** The labels that tell where a node is and what it is, and where the metadata service has their values. */
export const PLACES: Readonly<Record<string, string>> = {
  "topology.kubernetes.io/region": "placement/region",
  "topology.kubernetes.io/zone": "placement/availability-zone",
  "node.kubernetes.io/instance-type": "instance-type",
  [NODE_POOL_LABEL]: `tags/instance/${POOL_TAG}`,
};

const VALUE = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Asks the instance metadata service, version 2, for all labels. What it does not know is left out. */
export async function askMetadata(base: string, signal: AbortSignal): Promise<Record<string, string>> {
  const token = await ask(base, "PUT", "api/token", signal, {
    "x-aws-ec2-metadata-token-ttl-seconds": String(TOKEN_SECONDS),
  });
  if (token === undefined) throw new Error(`${base} gives no token: it is no instance metadata service.`);
  const found = await Promise.all(
    Object.entries(PLACES).map(async ([label, place]): Promise<[string, string][]> => {
      const text = await ask(base, "GET", `meta-data/${place}`, signal, {
        "x-aws-ec2-metadata-token": token,
      });
      return text !== undefined && VALUE.test(text) ? [[label, text]] : [];
    }),
  );
  return Object.fromEntries(found.flat());
}

function ask(
  base: string,
  method: string,
  place: string,
  signal: AbortSignal,
  headers: Record<string, string>,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, signal, timeout: TIMEOUT_MS, agent: false };
    const request = http.request(`${base}/latest/${place}`, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > 4096) request.destroy(new Error("The metadata service says too much."));
      });
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode === 200 ? text.trim() : undefined));
    });
    request.on("timeout", () => request.destroy(new Error(`${base} does not answer.`)));
    request.on("error", reject);
    request.end();
  });
}

/** Set by the kubelet while it waits for a cloud controller, which will set the labels itself. */
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

/** The labels that nobody has set and nobody is going to. */
export function missingLabels(labels: Readonly<Record<string, string>>, taints: readonly string[]): string[] {
  if (taints.includes(UNINITIALIZED)) return [];
  return Object.keys(PLACES).filter((label) => labels[label] === undefined);
}
