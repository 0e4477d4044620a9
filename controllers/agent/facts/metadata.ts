// A client for the instance metadata service (IMDSv2).
import http from "node:http";
import { NODE_POOL_LABEL } from "../../../api/names";

const TIMEOUT_MS = 2000;
const TOKEN_SECONDS = 60;

/** The tag of an instance that names its pool. The service omits tags with a slash, so it differs from the label's name. */
export const POOL_TAG = "fleetwright-node-pool";

/** The labels for a node's location and type, and the metadata service's paths to their values. */
export const METADATA_PATHS: Readonly<Record<string, string>> = {
  "topology.kubernetes.io/region": "placement/region",
  "topology.kubernetes.io/zone": "placement/availability-zone",
  "node.kubernetes.io/instance-type": "instance-type",
  [NODE_POOL_LABEL]: `tags/instance/${POOL_TAG}`,
};

const VALUE = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Reads all labels from the instance metadata service (IMDSv2). Values that it does not have are left out. */
export async function askMetadata(base: string, signal: AbortSignal): Promise<Record<string, string>> {
  const token = await ask(base, "PUT", "api/token", signal, {
    "x-aws-ec2-metadata-token-ttl-seconds": String(TOKEN_SECONDS),
  });
  if (token === undefined)
    throw new Error(`${base} returned no token: it is not an instance metadata service.`);
  const found = await Promise.all(
    Object.entries(METADATA_PATHS).map(async ([label, metadataPath]): Promise<[string, string][]> => {
      const text = await ask(base, "GET", `meta-data/${metadataPath}`, signal, {
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
  resource: string,
  signal: AbortSignal,
  headers: Record<string, string>,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, signal, timeout: TIMEOUT_MS, agent: false };
    const request = http.request(`${base}/latest/${resource}`, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > 4096)
          request.destroy(new Error("The response of the metadata service is too long."));
      });
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode === 200 ? text.trim() : undefined));
    });
    request.on("timeout", () => request.destroy(new Error(`${base} timed out.`)));
    request.on("error", reject);
    request.end();
  });
}
