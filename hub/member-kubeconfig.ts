// The kubeconfig with which the hub calls a member.
import { readFile } from "node:fs/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { endpointOf } from "../access/connection";
import { Failure } from "../lib/failure";

/** A kubeconfig with one context and no files beside it. */
export async function minified(file: string, context: string | undefined): Promise<string> {
  const config = new KubeConfig();
  config.loadFromFile(file);
  if (context !== undefined) config.setCurrentContext(context);
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()];
  if (cluster === null || user === null)
    throw new Failure(`${file} has no such context, or none is current: name one by --member-context.`);
  if (user.exec !== undefined || user.authProvider !== undefined)
    throw new Failure(
      `The user of ${file} logs in by a program, which the hub does not run: give a kubeconfig with a token or a certificate; npm run hub -- member-role prints the rights that it needs.`,
    );
  const data = async (path: string | undefined, text: string | undefined): Promise<string | undefined> =>
    text ?? (path === undefined ? undefined : (await readFile(path)).toString("base64"));
  const { server, authority, tlsServerName } = endpointOf(cluster);
  const [certificate, key] = [
    await data(user.certFile, user.certData),
    await data(user.keyFile, user.keyData),
  ];
  return `${JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "member",
    clusters: [
      {
        name: "member",
        cluster: {
          server,
          "certificate-authority-data": authority,
          ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
        },
      },
    ],
    users: [
      {
        name: "syncer",
        user: {
          ...(user.token === undefined ? {} : { token: user.token }),
          ...(certificate === undefined ? {} : { "client-certificate-data": certificate }),
          ...(key === undefined ? {} : { "client-key-data": key }),
        },
      },
    ],
    contexts: [{ name: "member", context: { cluster: "member", user: "syncer" } }],
  })}\n`;
}
