import { X509Certificate } from "node:crypto";
import { load } from "js-yaml";
import { yaml } from "./yaml";

/**
 * A kubeconfig as RKE2 and RKE write it on a server, made good for everywhere else: with the address of the load balancer
 * and names that do not clash with those of other clusters.
 */
export function reachableKubeconfig(text: string, cluster: string, endpoint: string): string {
  const config: unknown = load(text);
  const certificate = memberOf(firstOf(config, "clusters"), "cluster");
  const user = memberOf(firstOf(config, "users"), "user");
  if (certificate === undefined || user === undefined) {
    throw new Error("The file that the server gave as its kubeconfig has no cluster or no user in it.");
  }
  return yaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: cluster, cluster: { ...certificate, server: endpoint } }],
    users: [{ name: `${cluster}-admin`, user }],
    contexts: [{ name: cluster, context: { cluster, user: `${cluster}-admin` } }],
    "current-context": cluster,
  });
}

/** How long before its end a certificate is reported: RKE2 makes another one at any restart within this time. */
const WARNING_DAYS = 90;

/** What to say of the certificate in a kubeconfig that ends soon; undefined where there is nothing to say. */
export function endingCertificate(text: string, cluster: string, now: Date): string | undefined {
  const data = memberOf(firstOf(load(text), "users"), "user");
  const encoded: unknown = data === undefined ? undefined : Reflect.get(data, "client-certificate-data");
  if (typeof encoded !== "string") return undefined;
  const end = endOf(Buffer.from(encoded, "base64"));
  if (end === undefined || end.getTime() - now.getTime() > WARNING_DAYS * 86_400_000) return undefined;
  return (
    `The administrator's certificate in the kubeconfig of ${cluster} ${end < now ? "ended" : "ends"} on ${end.toISOString().slice(0, 10)}. ` +
    "RKE2 makes another one when server-0 is restarted (systemctl restart rke2-server) or upgraded; " +
    `then \`pulumi up --replace '**::${cluster}-server-0-kubeconfig'\` reads it.`
  );
}

function endOf(pem: Buffer): Date | undefined {
  try {
    return new Date(new X509Certificate(pem).validTo);
  } catch {
    // What is no certificate is the API server's to refuse.
    return undefined;
  }
}

/** The same kubeconfig, with the address of a proxy on the way to the API. */
export function proxiedKubeconfig(text: string, proxyUrl: string): string {
  const config = load(text) as { clusters?: { name: string; cluster: object }[] };
  const clusters = (config.clusters ?? []).map(({ name, cluster }) => ({
    name,
    cluster: { ...cluster, "proxy-url": proxyUrl },
  }));
  return yaml({ ...config, clusters });
}

function firstOf(value: unknown, key: string): unknown {
  const list: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return Array.isArray(list) ? (list as unknown[])[0] : undefined;
}

function memberOf(value: unknown, key: string): object | undefined {
  const member: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return typeof member === "object" && member !== null ? member : undefined;
}
