// A client of a member cluster, from the kubeconfig that its Cluster names.
import { ApiClient, credentialsOf } from "../../runtime";
import { SECRETS, type ClusterObject } from "../kinds";
import { memberKubeconfig } from "../member-kubeconfig";

const LIMIT = { perSecond: 20, burst: 40 };

/** The kubeconfig of a cluster that the hub calls; undefined if it calls none. Throws if it cannot be used. */
export async function kubeconfigOf(
  hub: ApiClient,
  { spec: { connection } }: ClusterObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { mode, secretRef } = connection;
  if (mode !== "push" || secretRef === undefined) return undefined;
  const { data = {} } = await hub.get(SECRETS, secretRef, signal);
  const text = Buffer.from(data.kubeconfig ?? "", "base64").toString("utf8");
  if (text === "")
    throw new Error(
      `Secret ${secretRef.namespace}/${secretRef.name} has no key kubeconfig: put the cluster's kubeconfig there.`,
    );
  return text;
}

/** A client that never runs a program or reads a file to log in, which a kubeconfig could ask for. */
export function memberClient(kubeconfig: string, hub: ApiClient): ApiClient {
  return new ApiClient(credentialsOf(memberKubeconfig(kubeconfig)), {
    rateLimit: LIMIT,
    userAgent: "fleetwright-hub",
    clock: hub.clock,
  });
}
