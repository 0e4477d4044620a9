// Registers the controller that approves certificates of syncers: of clusters that were accepted, for their own name, and once a token.
import { GROUP } from "../../../api";
import {
  BOOTSTRAP_ACCOUNT,
  clusterNamespace,
  clusterUser,
  SIGNER,
  USAGES,
  USED_ANNOTATION,
} from "../../../api/hub";
import {
  isNotFound,
  resourcePath,
  type ApiClient,
  type KubernetesObject,
  type Resource,
} from "../../runtime";
import { requestObjection } from "../../syncer/certificate";
import { SIGNING_REQUESTS, type SigningRequest } from "../../syncer/signing-requests";
import type { HubContext, HubController } from "../controller-context";
import { clustersIn } from "../informers";

const ACCOUNTS: Resource = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
};
const AGAIN_MS = 5000;

/** Whose certificate a request is for, by who asks: the syncer itself, or the account with the one-time token. */
export function requesterOf(username: string): { cluster: string; isFirst: boolean } | undefined {
  const bootstrap = new RegExp(
    `^system:serviceaccount:${clusterNamespace("")}([a-z0-9-]+):${BOOTSTRAP_ACCOUNT}$`,
  );
  const first = bootstrap.exec(username)?.[1];
  if (first !== undefined) return { cluster: first, isFirst: true };
  const prefix = clusterUser("");
  return username.startsWith(prefix) ? { cluster: username.slice(prefix.length), isFirst: false } : undefined;
}

/** Why a request must be denied whatever anybody accepts; undefined if it is in order. */
export async function denial({ spec }: SigningRequest, cluster: string): Promise<string | undefined> {
  const usages = [...(spec.usages ?? [])].sort();
  if (JSON.stringify(usages) !== JSON.stringify([...USAGES].sort()))
    return `its usages are ${usages.join(", ")}, not ${USAGES.join(", ")}`;
  return requestObjection(Buffer.from(spec.request, "base64").toString("utf8"), cluster);
}

/** Approves certificates of syncers. */
export const registration: HubController = {
  name: "registration",
  description: "certificates of the syncers of accepted clusters",
  rules: [
    { apiGroups: [GROUP], resources: ["clusters"], verbs: ["get", "list", "watch"] },
    {
      apiGroups: ["certificates.k8s.io"],
      resources: ["certificatesigningrequests"],
      verbs: ["get", "list", "watch"],
    },
    {
      apiGroups: ["certificates.k8s.io"],
      resources: ["certificatesigningrequests/approval"],
      verbs: ["update"],
    },
    {
      apiGroups: ["certificates.k8s.io"],
      resources: ["signers"],
      resourceNames: [SIGNER],
      verbs: ["approve"],
    },
    { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get", "patch"] },
  ],
  start({ manager, client }: HubContext): void {
    const clusters = clustersIn(manager.cache);
    const requests = manager.cache.informer(SIGNING_REQUESTS, { fieldSelector: `spec.signerName=${SIGNER}` });
    const { queue } = manager
      .controller({
        name: "registration",
        async reconcile(name, { signal, log }) {
          const request = requests.get(name);
          const requester = requesterOf(request?.spec.username ?? "");
          if (request === undefined || requester === undefined || isDecided(request)) return undefined;
          const cluster = clusters.get(requester.cluster);
          const objection = await denial(request, requester.cluster);
          if (objection !== undefined) {
            await decide(client, request, "Denied", `Denied: ${objection}.`, signal);
            log.error("Denied a certificate.", { cluster: requester.cluster, cause: objection });
            return undefined;
          }
          // Both have to want it: whoever runs the cluster asks, an administrator of the hub accepts.
          if (cluster?.spec.accepted !== true || cluster.metadata.deletionTimestamp !== undefined)
            return undefined;
          if (requester.isFirst) {
            const used = await useToken(client, requester.cluster, name, signal);
            if (used === undefined) return { requeueAfterMs: AGAIN_MS };
            if (used !== name) {
              await decide(
                client,
                request,
                "Denied",
                `Denied: the token was already used for ${used}.`,
                signal,
              );
              return undefined;
            }
          }
          await decide(client, request, "Approved", `The cluster ${requester.cluster} is accepted.`, signal);
          log.info("Approved a certificate.", { cluster: requester.cluster, isFirst: requester.isFirst });
          return undefined;
        },
      })
      .watches(requests);
    clusters.onChange(({ key, before, after }) => {
      if (after === undefined || before?.metadata.generation === after.metadata.generation) return;
      for (const request of requests.list())
        if (requesterOf(request.spec.username ?? "")?.cluster === key) queue.add(request.metadata.name);
    });
  },
};

function isDecided({ status }: SigningRequest): boolean {
  return (status?.conditions ?? []).some(({ type }) => ["Approved", "Denied", "Failed"].includes(type));
}

/** Marks the token as used for a request; gives the request that it was used for, or undefined if there is no account. */
async function useToken(
  client: ApiClient,
  cluster: string,
  request: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ref = { namespace: clusterNamespace(cluster), name: BOOTSTRAP_ACCOUNT };
  let account: KubernetesObject;
  try {
    account = await client.get(ACCOUNTS, ref, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
  const used = account.metadata.annotations?.[USED_ANNOTATION];
  if (used !== undefined) return used;
  const { uid, resourceVersion } = account.metadata;
  const annotations = { [USED_ANNOTATION]: request };
  await client.patch(ACCOUNTS, ref, { metadata: { uid, resourceVersion, annotations } }, { signal });
  return request;
}

async function decide(
  client: ApiClient,
  request: SigningRequest,
  type: "Approved" | "Denied",
  message: string,
  signal: AbortSignal,
): Promise<void> {
  const condition = { type, status: "True", reason: "FleetwrightRegistration", message };
  const body = {
    ...request,
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    status: { ...request.status, conditions: [...(request.status?.conditions ?? []), condition] },
  };
  await client.request({
    method: "PUT",
    path: resourcePath(SIGNING_REQUESTS, request.metadata, "approval"),
    body,
    signal,
  });
}
