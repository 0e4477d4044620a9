import * as pulumi from "@pulumi/pulumi";
import type { ClientIdentity } from "./certificates";

/** A kubeconfig that needs no other file. JSON is YAML. */
export function hubKubeconfig(
  name: string,
  server: pulumi.Input<string>,
  authority: pulumi.Input<string>,
  identity: ClientIdentity,
): pulumi.Output<string> {
  const text = pulumi
    .all([server, authority, identity.certificate, identity.key])
    .apply(([address, ca, certificate, key]) =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name, cluster: { server: address, "certificate-authority-data": base64(ca) } }],
        users: [
          {
            name,
            user: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) },
          },
        ],
        contexts: [{ name, context: { cluster: name, user: name } }],
        "current-context": name,
      }),
    );
  return pulumi.secret(text);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
