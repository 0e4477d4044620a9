import type { CertifiedKey } from "../../../controlplane/certificate";

/** How a kubeconfig is written: as YAML by hand, since people read and edit this file. */
export function kubeconfigText(
  server: string,
  authority: string,
  client: CertifiedKey,
  name = "default",
): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${base64(authority)}
    server: ${server}
  name: ${name}
contexts:
- context:
    cluster: ${name}
    user: ${name}
  name: ${name}
current-context: ${name}
kind: Config
preferences: {}
users:
- name: ${name}
  user:
    client-certificate-data: ${base64(client.certificate)}
    client-key-data: ${base64(client.key)}
`;
}
