// `npm run hub -- register`: a Cluster on the hub, and what its syncer needs to reach both sides.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { KubeConfig } from "@kubernetes/client-node";
import { connect, endpointOf, type Endpoint } from "../access/connection";
import { SYSTEM_NAMESPACE } from "../api";
import { BOOTSTRAP_ACCOUNT } from "../api/hub";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CLUSTERS,
  SECRETS,
  type ClusterObject,
} from "../controllers/hub/kinds";
import {
  isAlreadyExists,
  isNotFound,
  type ApiClient,
  type KubernetesObject,
  type Resource,
} from "../controllers/runtime";
import { NAMESPACES } from "../controllers/syncer/kinds";
import { ExitCode, Failure } from "../lib/failure";
import { writePrivate } from "../lib/files";
import { clusterIn } from "./cluster-name";

/** What `register --help` prints. */
export const REGISTER_HELP = `Makes a cluster known to a hub.

Usage: npm run -s hub -- register east --member east.kubeconfig --accept
       npm run -s hub -- register west --output west.bootstrap

  --member FILE       the hub calls the cluster with this kubeconfig (push); without it a person starts the syncer (none)
  --member-context N  its context (the current one)
  --output FILE       without --member: where the kubeconfig with the one-time token for the syncer goes; only you can read it
  --accept            accepts the cluster, too; otherwise an administrator does it later

  --kubeconfig FILE   the administrator's kubeconfig of the hub (KUBECONFIG, or ~/.kube/config)
  --context NAME      its context (the current one)`;

const OPTIONS = {
  member: { type: "string" },
  "member-context": { type: "string" },
  output: { type: "string" },
  accept: { type: "boolean", default: false },
  kubeconfig: { type: "string" },
  context: { type: "string" },
} as const;

const ACCOUNTS: Resource<KubernetesObject & { automountServiceAccountToken?: boolean }> = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
};
const BOOTSTRAP_ROLE = "fleetwright:bootstrap";
const TOKEN_SECONDS = 3600;
const LABELS = { "app.kubernetes.io/managed-by": "fleetwright" };

/** The name of the Secret with a cluster's kubeconfig. */
export function secretOf(cluster: string): { name: string; namespace: string } {
  return { name: `cluster-${cluster}`, namespace: SYSTEM_NAMESPACE };
}

/** The name of the binding that lets the one-time token ask for a certificate. */
export function bootstrapBinding(cluster: string): string {
  return `${BOOTSTRAP_ROLE}:${cluster}`;
}

/** Registers a cluster. */
export async function register(argv: string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS });
  const { name, namespace } = clusterIn(positionals);
  if ((values.member === undefined) === (values.output === undefined))
    throw new Failure(
      "Give one of --member, a kubeconfig with which the hub calls the cluster, and --output, where the syncer's one-time token goes.",
      ExitCode.usage,
    );
  const { client, endpoint } = await connect(values);
  try {
    await mustBeAHub(client, endpoint, signal);
    if (values.member !== undefined) {
      const kubeconfig = await minified(values.member, values["member-context"]);
      await ensure(client, NAMESPACES, { metadata: { name: SYSTEM_NAMESPACE, labels: LABELS } }, signal);
      await putSecret(client, name, kubeconfig, signal);
      await putCluster(client, name, { mode: "push", secretRef: secretOf(name) }, values.accept, signal);
    } else if (values.output !== undefined) {
      await putCluster(client, name, { mode: "none" }, values.accept, signal);
      const token = await bootstrapToken(client, name, namespace, signal);
      await writePrivate(values.output, bootstrapKubeconfig(endpoint, token));
    }
  } finally {
    client.close();
  }
  process.stderr.write(nextSteps(name, values));
}

function nextSteps(
  name: string,
  { accept, output, member }: { accept: boolean; output?: string; member?: string },
): string {
  const lines = [`${name} is registered${accept ? " and accepted" : ""}.`];
  if (!accept)
    lines.push(
      `Accept it on the hub:  kubectl patch cluster.fleetwright.dev ${name} --type=merge -p '{"spec":{"accepted":true}}'`,
    );
  if (member === undefined)
    lines.push(
      `Within the hour, start its syncer:  npx tsx controllers/syncer/main.ts --cluster ${name} --bootstrap ${output ?? ""} --hub ${name}.hub --member <kubeconfig of ${name}>`,
    );
  lines.push(`See how it goes:  kubectl get cluster.fleetwright.dev ${name}`);
  return `${lines.join("\n")}\n`;
}

async function mustBeAHub(client: ApiClient, { server }: Endpoint, signal: AbortSignal): Promise<void> {
  try {
    await client.request({
      method: "GET",
      path: "/apis/fleetwright.dev/v1/clusters",
      query: { limit: 1 },
      signal,
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Failure(
      `${server} serves no clusters.fleetwright.dev, so it is no hub: apply api/hub/crds there, or use the --kubeconfig of the hub.`,
      ExitCode.failed,
      { cause: error },
    );
  }
}

async function ensure<T extends KubernetesObject>(
  client: ApiClient,
  resource: Resource<T>,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  await client.create(resource, object, signal).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

async function putSecret(
  client: ApiClient,
  cluster: string,
  kubeconfig: string,
  signal: AbortSignal,
): Promise<void> {
  const ref = secretOf(cluster);
  const data = { kubeconfig: Buffer.from(kubeconfig).toString("base64") };
  try {
    await client.create(SECRETS, { metadata: { ...ref, labels: LABELS }, type: "Opaque", data }, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await client.patch(SECRETS, ref, { data }, { signal });
  }
}

async function putCluster(
  client: ApiClient,
  name: string,
  connection: ClusterObject["spec"]["connection"],
  accept: boolean,
  signal: AbortSignal,
): Promise<void> {
  const spec = { connection, ...(accept ? { accepted: true } : {}) };
  try {
    await client.create(CLUSTERS, { metadata: { name }, spec } as ClusterObject, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await client.get(CLUSTERS, { name }, signal);
    if (found.metadata.deletionTimestamp !== undefined)
      throw new Failure(
        `The Cluster ${name} is being taken out: wait until kubectl get clusters.fleetwright.dev lacks it.`,
      );
    if (found.spec.connection.mode !== connection.mode)
      throw new Failure(
        `The Cluster ${name} is there already, in the mode ${found.spec.connection.mode}: take it out first by npm run hub -- unregister ${name}, or use another name.`,
      );
    await client.patch(CLUSTERS, { name }, { spec }, { signal });
  }
}

/** A token that is good for asking for one certificate, and ends within the hour. */
async function bootstrapToken(
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

function bootstrapKubeconfig({ server, authority, tlsServerName }: Endpoint, token: string): string {
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

/** A kubeconfig with one context and no files beside it. */
async function minified(file: string, context: string | undefined): Promise<string> {
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
