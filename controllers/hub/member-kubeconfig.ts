// The kubeconfig of a member as the hub takes it: what it needs stands in it, and nothing in it reaches into the hub's own machine.
import { KubeConfig } from "@kubernetes/client-node";

/**
 * Reads a kubeconfig that somebody put into a Secret. Throws if it names a program or a file: both would be of the hub's own
 * machine, so that whoever may write the Secret could have the hub's token sent to a server of his.
 */
export function memberKubeconfig(text: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(text);
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()];
  if (cluster === null || user === null)
    throw new Error("The cluster's kubeconfig has no cluster and user for its current-context: set it.");
  if (user.exec !== undefined || (user.authProvider !== undefined && !namesTokenFile(user.authProvider)))
    throw new Error(
      "The cluster's kubeconfig runs a program to log in, which the hub does not: give one with a token or a certificate.",
    );
  const files = [
    ["certificate-authority", cluster.caFile],
    ["client-certificate", user.certFile],
    ["client-key", user.keyFile],
    ["tokenFile", namesTokenFile(user.authProvider) ? "a file" : undefined],
  ].flatMap(([field, file]) => (file === undefined || file === "" ? [] : [field ?? ""]));
  if (files.length > 0)
    throw new Error(
      `The cluster's kubeconfig names a file by ${files.join(", ")}, which would be one of the hub's own machine: put the contents into it, as kubectl config view --raw --minify --flatten does.`,
    );
  return config;
}

// The name by which the client library knows credentials whose token is read from a file.
function namesTokenFile(provider: unknown): boolean {
  return typeof provider === "object" && provider !== null && Reflect.get(provider, "name") === "tokenFile";
}
