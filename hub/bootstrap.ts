// The one-time token with which a syncer asks a hub for its first certificate.
import type { Endpoint } from "../access/connection";
import { BOOTSTRAP_ACCOUNT } from "../api/hub";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from "../controllers/hub/kinds";
import {
  isAlreadyExists,
  isNotFound,
  type ApiClient,
  type KubernetesObject,
  type Resource,
} from "../controllers/runtime";
import { NAMESPACES } from "../controllers/syncer/kinds";

const ACCOUNTS: Resource<KubernetesObject & { automountServiceAccountToken?: boolean }> = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
};
const BOOTSTRAP_ROLE = "fleetwright:bootstrap";
const TOKEN_SECONDS = 3600;
/** On everything on the hub that registration makes. */
export const LABELS = { "app.kubernetes.io/managed-by": "fleetwright" };

/** The name of the binding that lets the one-time token ask for a certificate. */
export function bootstrapBinding(cluster: string): string {
  return `${BOOTSTRAP_ROLE}:${cluster}`;
}

/** Creates what is not there yet. */
export async function ensure<T extends KubernetesObject>(
  client: ApiClient,
  resource: Resource<T>,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  await client.create(resource, object, signal).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** A token that is good for asking for one certificate, and ends within the hour. */
export async function bootstrapToken(
  client: ApiClient,
  cluster: string,
  namespace: string,
  signal: AbortSignal,
): Promise<string> {
  await ensure(client, NAMESPACES, { metadata: { name: namespace, labels: LABELS } }, signal);
  const ref = { name: BOOTSTRAP_ACCOUNT, namespace };
  // A new account, so that no token of an earlier one is good any more.
  await client.delete(ACCOUNTS, ref, {}, signal).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  await client.create(
    ACCOUNTS,
    { metadata: { ...ref, labels: LABELS }, automountServiceAccountToken: false },
    signal,
  );
  const rules = [
    {
      apiGroups: ["certificates.k8s.io"],
      resources: ["certificatesigningrequests"],
      verbs: ["create", "get"],
    },
  ];
  await ensure(client, CLUSTER_ROLES, { metadata: { name: BOOTSTRAP_ROLE, labels: LABELS }, rules }, signal);
  await ensure(
    client,
    CLUSTER_ROLE_BINDINGS,
    {
      metadata: { name: bootstrapBinding(cluster), labels: LABELS },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: BOOTSTRAP_ROLE },
      subjects: [{ kind: "ServiceAccount", ...ref }],
    },
    signal,
  );
  const { status } = await client.request<{ status: { token: string } }>({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${BOOTSTRAP_ACCOUNT}/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: TOKEN_SECONDS },
    },
    signal,
  });
  return status.token;
}

/** What the syncer is given: where the hub is, and the token. */
export function bootstrapKubeconfig({ server, authority, tlsServerName }: Endpoint, token: string): string {
  const cluster = {
    server,
    "certificate-authority-data": authority,
    ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
  };
  return `${JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "hub",
    clusters: [{ name: "hub", cluster }],
    users: [{ name: "bootstrap", user: { token } }],
    contexts: [{ name: "hub", context: { cluster: "hub", user: "bootstrap" } }],
  })}\n`;
}
