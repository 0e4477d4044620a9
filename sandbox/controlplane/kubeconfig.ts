import type { CertifiedKey } from "./certificate";

/** Whom a kubeconfig lets in, and where. */
export interface KubeconfigContent {
  /** Name of the cluster and of the context. */
  name: string;
  user: string;
  endpoint: string;
  /** PEM of the authority that signed the API server's certificate. */
  authority: string;
  client: CertifiedKey;
}

/** Renders a kubeconfig that needs no other file. Names are written as JSON strings, which YAML reads as they are. */
export function renderKubeconfig(content: KubeconfigContent): string {
  const name = JSON.stringify(content.name);
  const user = JSON.stringify(content.user);
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${name}
    cluster:
      server: ${JSON.stringify(content.endpoint)}
      certificate-authority-data: ${base64(content.authority)}
users:
  - name: ${user}
    user:
      client-certificate-data: ${base64(content.client.certificate)}
      client-key-data: ${base64(content.client.key)}
contexts:
  - name: ${name}
    context:
      cluster: ${name}
      user: ${user}
current-context: ${name}
`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
