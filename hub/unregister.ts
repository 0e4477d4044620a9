// `npm run hub -- unregister`: the Cluster goes, and with it its namespace, rights, credentials and the record in the member.
import { parseArgs } from "node:util";
import { KubeConfig } from "@kubernetes/client-node";
import { connect } from "../access/connection";
import { SYSTEM_NAMESPACE } from "../api";
import { CLUSTER_ROLE_BINDINGS, CLUSTERS, SECRETS } from "../controllers/hub/kinds";
import { memberKubeconfig as configOfMember } from "../controllers/hub/member-kubeconfig";
import {
  ApiClient,
  credentialsOf,
  isNotFound,
  type KubernetesObject,
  type ObjectRef,
  type Resource,
} from "../controllers/runtime";
import { CONFIG_MAPS } from "../controllers/syncer/kinds";
import { CLUSTER_ANNOTATION, HUB_RECORD } from "../controllers/syncer/names";
import { SYNCER_NAME } from "../controllers/syncer/role";
import { waitFor } from "../lib/deadline";
import { errorMessage, Failure } from "../lib/failure";
import { clusterIn } from "./cluster-name";
import { bootstrapBinding } from "./bootstrap";
import { installed, SYNCER_DEPLOYMENT } from "./install";
import { deleteFrom } from "./member";
import { secretOf } from "./register";

/** What `unregister --help` prints. */
export const UNREGISTER_HELP = `Takes a cluster out of a hub.

Usage: npm run -s hub -- unregister east

  --delete            deletes what the hub placed there, too; otherwise it stays and runs on
  --member FILE       a kubeconfig of the cluster, to clear its record of the hub and the syncer in it; in the mode push the hub has one

  --kubeconfig FILE   the administrator's kubeconfig of the hub (KUBECONFIG, or ~/.kube/config)
  --context NAME      its context (the current one)`;

const OPTIONS = {
  delete: { type: "boolean", default: false },
  member: { type: "string" },
  kubeconfig: { type: "string" },
  context: { type: "string" },
} as const;

const WITHIN_MS = 900_000;
const REMOVE_SYNCER = [
  `kubectl -n ${SYSTEM_NAMESPACE} delete deployment,networkpolicy,rolebinding,role,secret,serviceaccount -l app.kubernetes.io/component=syncer`,
  `kubectl delete clusterrolebinding,clusterrole ${SYNCER_NAME}`,
].join(" && ");
const DEPLOYMENTS: Resource = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};

/** Takes a cluster out. */
export async function unregister(argv: string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS });
  const { name } = clusterIn(positionals);
  const { client, endpoint } = await connect(values);
  try {
    let isPulled = false;
    const found = await find(client, CLUSTERS, { name }, signal);
    if (found === undefined)
      process.stderr.write(`${endpoint.server} has no Cluster ${name}; clearing what may be left of it.\n`);
    else {
      isPulled = found.spec.connection.mode === "pull";
      const onRemove = values.delete ? "Delete" : "Orphan";
      await client.patch(CLUSTERS, { name }, { spec: { onRemove } }, { signal });
      await client.delete(CLUSTERS, { name }, { uid: found.metadata.uid }, signal);
      await waitFor(
        `the Cluster ${name} to go, which the hub's controllers do`,
        async () => (await find(client, CLUSTERS, { name }, signal)) === undefined,
        { timeoutMs: WITHIN_MS, intervalMs: 500, signal },
      );
    }
    const kubeconfig = await memberKubeconfig(client, name, signal);
    await clearMember(name, { file: values.member, kubeconfig, isPulled }, signal);
    await remove(client, SECRETS, secretOf(name), signal);
    await remove(client, CLUSTER_ROLE_BINDINGS, { name: bootstrapBinding(name) }, signal);
  } finally {
    client.close();
  }
  process.stderr.write(
    `${name} is taken out. What the hub placed there ${values.delete ? "is gone" : "runs on"}.\n`,
  );
}

async function memberKubeconfig(
  client: ApiClient,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const secret = await find(client, SECRETS, secretOf(name), signal);
  const data = secret?.data?.kubeconfig;
  return data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8");
}

// The record is what keeps another hub out: only with it gone can the cluster join one.
async function clearMember(
  name: string,
  {
    file,
    kubeconfig,
    isPulled,
  }: { file?: string | undefined; kubeconfig?: string | undefined; isPulled: boolean },
  signal: AbortSignal,
): Promise<void> {
  if (file === undefined && kubeconfig === undefined) {
    if (isPulled)
      process.stderr.write(`To take the syncer out of ${name}, run this on it: ${REMOVE_SYNCER}\n`);
    process.stderr.write(
      `To let it join another hub, run this on ${name}: kubectl -n ${SYSTEM_NAMESPACE} delete configmap ${HUB_RECORD}\n`,
    );
    return;
  }
  const member = new ApiClient(credentialsOf(configOf(name, file, kubeconfig ?? "")), {
    userAgent: "fleetwright-hub",
  });
  try {
    const syncer = await find(member, DEPLOYMENTS, SYNCER_DEPLOYMENT, signal);
    if (syncer?.metadata.annotations?.[CLUSTER_ANNOTATION] === name)
      await deleteFrom(member, installed(name), signal);
    const record = await find(member, CONFIG_MAPS, { namespace: SYSTEM_NAMESPACE, name: HUB_RECORD }, signal);
    if (record !== undefined && record.data?.cluster === name)
      await member.delete(CONFIG_MAPS, record.metadata, { uid: record.metadata.uid }, signal);
  } catch (error) {
    throw new Failure(
      `The cluster ${name} is out of the hub, but its record of the hub could not be cleared: ${errorMessage(error)} Run this on it: kubectl -n ${SYSTEM_NAMESPACE} delete configmap ${HUB_RECORD}`,
    );
  } finally {
    member.close();
  }
}

// The person's own file may run a program to log in; what somebody put into a Secret of the hub may not.
function configOf(name: string, file: string | undefined, text: string): KubeConfig {
  if (file === undefined) {
    try {
      return configOfMember(text);
    } catch (error) {
      throw new Failure(
        `The cluster ${name} is out of the hub, but its record of the hub could not be cleared: ${errorMessage(error)} Give a kubeconfig of your own by --member.`,
      );
    }
  }
  const config = new KubeConfig();
  config.loadFromFile(file);
  return config;
}

async function find<T extends KubernetesObject>(
  client: ApiClient,
  resource: Resource<T>,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await client.get(resource, ref, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}

async function remove(
  client: ApiClient,
  resource: Resource,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<void> {
  await client.delete(resource, ref, {}, signal).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
