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

function firstOf(value: unknown, key: string): unknown {
  const list: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return Array.isArray(list) ? (list as unknown[])[0] : undefined;
}

function memberOf(value: unknown, key: string): object | undefined {
  const member: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return typeof member === "object" && member !== null ? member : undefined;
}
