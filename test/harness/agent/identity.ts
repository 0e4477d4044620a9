// The agent's account in a test cluster: its role, the admission policies that bind it, and tokens of its pods.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { loadAll } from "js-yaml";
import { SERVICE_ACCOUNTS } from "../../../controllers/coordinator/native-resources";
import {
  ApiClient,
  isAlreadyExists,
  type KubernetesObject,
  type Resource,
} from "../../../controllers/runtime";
import type { CoordinatorFixture } from "../coordinator";

/** The agent's service account. */
export const AGENT_ACCOUNT = "fleetwright-agent";

const CONTROLLERS = path.join(__dirname, "../../../controllers/agent");
const PATHS: Readonly<Record<string, string>> = {
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ValidatingAdmissionPolicy: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
};
const PODS: Resource<KubernetesObject & { spec: object }> = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  namespaced: true,
};

/** Installs what the stack declares for the agent besides its pods: the committed role and admission policies. */
export async function installAgentRights(fixture: CoordinatorFixture): Promise<void> {
  for (const file of ["role.yaml", "admission.yaml"])
    for (const body of loadAll(readFileSync(path.join(CONTROLLERS, file), "utf8")) as KubernetesObject[])
      await fixture.direct.request({ method: "POST", path: PATHS[body.kind ?? ""] ?? "", body });
  await createAgentAccount(fixture);
  await bindAgent(fixture);
}

/** Makes the agent's service account. */
export async function createAgentAccount({ direct, home }: CoordinatorFixture): Promise<void> {
  await direct.create(SERVICE_ACCOUNTS, { metadata: { namespace: home, name: AGENT_ACCOUNT } });
}

/** Gives the agent's service account a cluster role. */
export async function bindAgent({ direct, home }: CoordinatorFixture, role = AGENT_ACCOUNT): Promise<void> {
  await direct.request({
    method: "POST",
    path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    body: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: role === AGENT_ACCOUNT ? AGENT_ACCOUNT : `${AGENT_ACCOUNT}-${role}` },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", namespace: home, name: AGENT_ACCOUNT }],
    },
  });
}

/** A token as the kubelet of a node asks it for the agent's pod there; without a node one that is bound to no pod. */
export async function agentToken(
  { direct, home }: CoordinatorFixture,
  node: string | undefined,
): Promise<string> {
  const boundObjectRef = node === undefined ? undefined : await podOn(node);
  const { status } = await direct.request<{ status: { token: string } }>({
    method: "POST",
    path: `/api/v1/namespaces/${home}/serviceaccounts/${AGENT_ACCOUNT}/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 3600, ...(boundObjectRef === undefined ? {} : { boundObjectRef }) },
    },
  });
  return status.token;

  async function podOn(nodeName: string): Promise<object> {
    const metadata = { namespace: home, name: `agent-${nodeName}` };
    const spec = {
      nodeName,
      serviceAccountName: AGENT_ACCOUNT,
      automountServiceAccountToken: false,
      tolerations: [{ operator: "Exists" }],
      containers: [{ name: "agent", image: "none.invalid/agent" }],
    };
    const pod = await direct.create(PODS, { metadata, spec }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
      return direct.get(PODS, metadata);
    });
    return { apiVersion: "v1", kind: "Pod", name: pod.metadata.name, uid: pod.metadata.uid };
  }
}

/** Writes a token and the server's CA certificate where the agent looks for them. */
export function writeCredentials({ plane }: CoordinatorFixture, folder: string, token: string): void {
  writeFileSync(path.join(folder, "token"), token);
  writeFileSync(path.join(folder, "ca.crt"), readFileSync(plane.caCertificate));
}

/** A client that has a token. */
export function clientWith({ plane }: CoordinatorFixture, token: string): ApiClient {
  const ca = readFileSync(plane.caCertificate, "utf8");
  const headers = { authorization: `Bearer ${token}` };
  const credentials = { server: plane.endpoint, tls: { ca }, headers };
  return new ApiClient({ current: () => Promise.resolve(credentials), refused() {} }, { rateLimit: false });
}
