// The kubeconfig that a person gets: one file, which needs no other. Pure.
import { dump } from "js-yaml";
import type { Endpoint } from "./connection";
import { SCRIPT } from "./exec-plugin";
import type { NewGrant } from "./grants";

/** Renders the kubeconfig of a grant. Whoever has it has the person's access until the grant ends. */
export function kubeconfigOf({ grant, account, token }: NewGrant, endpoint: Endpoint): string {
  const { name, server, authority, tlsServerName, proxyUrl } = endpoint;
  const clusters = [
    {
      name,
      cluster: {
        server,
        "certificate-authority-data": authority,
        ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
        ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl }),
      },
    },
  ];
  const user = `${name}-${grant.user}`;
  const config = (credential: object): object => ({
    apiVersion: "v1",
    kind: "Config",
    clusters,
    users: [{ name: user, user: credential }],
    contexts: [{ name: user, context: { cluster: name, user } }],
    "current-context": user,
  });
  return dump(
    config({
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: "sh",
        args: ["-c", SCRIPT],
        env: [
          { name: "FLEETWRIGHT_GRANT", value: grant.name },
          { name: "FLEETWRIGHT_ACCOUNT", value: account },
          { name: "FLEETWRIGHT_RENEWAL", value: JSON.stringify(config({ token })) },
        ],
        interactiveMode: "Never",
        installHint: "A shell (sh) and kubectl have to be on the PATH.",
      },
    }),
    { lineWidth: -1 },
  );
}
