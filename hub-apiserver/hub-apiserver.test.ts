import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { childrenOf } from "../lib/child-processes";
import { waitFor } from "../lib/deadline";
import { at, listAt, parseJson, textAt } from "../lib/json";
import { isRunning, killProcess } from "../lib/process";
import { startControlPlane, type ControlPlane } from "../sandbox/controlplane";
import { ApiClient } from "../sandbox/controlplane/api";
import { generateKey } from "../sandbox/controlplane/certificate";
import { ensureTools } from "../sandbox/toolchain";
import { signingRequest } from "./testing/signing-request";

const soon = { timeoutMs: 120_000 };
const clients: ApiClient[] = [];
let scratch: string;
let hub: ControlPlane;
let admin: ApiClient;

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), "fleetwright-hub-test-"));
  hub = await startHub();
  admin = await as("admin", ["fleetwright:cluster-admins"]);
});

afterAll(async () => {
  clients.forEach((client) => client.close());
  await hub.stop();
  await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
});

test("kubectl finds no pods and no nodes, but everything that can be placed", async () => {
  const { kubectl } = await ensureTools(["kubectl"]);
  const run = promisify(execFile);
  const env = { KUBECONFIG: hub.kubeconfig, HOME: scratch };
  for (const kind of ["pods", "nodes", "replicationcontrollers", "endpoints"]) {
    await expect(run(kubectl.path, ["get", kind], { env })).rejects.toMatchObject({
      stderr: `error: the server doesn't have a resource type "${kind}"\n`,
    });
  }
  const { stdout } = await run(kubectl.path, ["api-resources", "--output=name"], { env });
  expect(stdout.trim().split("\n")).toEqual(
    expect.arrayContaining([
      "configmaps",
      "secrets",
      "serviceaccounts",
      "services",
      "persistentvolumeclaims",
      "deployments.apps",
      "statefulsets.apps",
      "daemonsets.apps",
      "jobs.batch",
      "cronjobs.batch",
      "horizontalpodautoscalers.autoscaling",
      "poddisruptionbudgets.policy",
      "ingresses.networking.k8s.io",
      "networkpolicies.networking.k8s.io",
      "customresourcedefinitions.apiextensions.k8s.io",
      "validatingadmissionpolicies.admissionregistration.k8s.io",
      "certificatesigningrequests.certificates.k8s.io",
      "leases.coordination.k8s.io",
    ]),
  );
});

test("a Deployment is stored with its defaults, a bad one is refused, and its Service has an address", async () => {
  const stored = await admin.create("/apis/apps/v1/namespaces/default/deployments", deployment("web"));
  expect(at(stored, "spec", "replicas")).toBe(1);
  expect(textAt(stored, "spec", "strategy", "type")).toBe("RollingUpdate");
  const bad = deployment("bad", { other: "label" });
  await expect(admin.create("/apis/apps/v1/namespaces/default/deployments", bad)).rejects.toThrow(
    /`selector` does not match template `labels`/,
  );
  const service = await admin.create("/api/v1/namespaces/default/services", {
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  });
  expect(textAt(service, "spec", "clusterIP")).toMatch(/^10\.\d+\.\d+\.\d+$/);
});

test("a claim can be deleted: nothing puts a finalizer on it that nobody would take away", async () => {
  const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  await admin.create(claims, {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  expect((await admin.send("DELETE", `${claims}/data`)).status).toBe(200);
  expect((await admin.send("GET", `${claims}/data`)).status).toBe(404);
});

test("an admission policy in CEL denies what it says", async () => {
  const group = "/apis/admissionregistration.k8s.io/v1";
  await admin.create(`${group}/validatingadmissionpolicies`, {
    metadata: { name: "few-replicas" },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] },
        ],
      },
      validations: [{ expression: "object.spec.replicas <= 5", message: "at most five replicas" }],
    },
  });
  await admin.create(`${group}/validatingadmissionpolicybindings`, {
    metadata: { name: "few-replicas" },
    spec: { policyName: "few-replicas", validationActions: ["Deny"] },
  });
  const many = { ...deployment("many"), spec: { ...deployment("many").spec, replicas: 6 } };
  const dryRun = "/apis/apps/v1/namespaces/default/deployments?dryRun=All";
  await waitFor(
    "the policy to deny",
    async () => {
      const { status, body } = await admin.send("POST", dryRun, many);
      return (status === 422 && body.includes("at most five replicas")) || `${status} ${body}`;
    },
    soon,
  );
  expect((await admin.send("POST", dryRun, deployment("few"))).status).toBe(201);
});

test("a custom kind is served with its schema", async () => {
  await admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", sprocketDefinition);
  const sprockets = "/apis/example.dev/v1/namespaces/default/sprockets";
  await waitFor(
    "the kind to be served",
    async () => (await admin.send("GET", sprockets)).status === 200,
    soon,
  );
  await expect(
    admin.create(sprockets, {
      apiVersion: "example.dev/v1",
      kind: "Sprocket",
      metadata: { name: "s" },
      spec: { teeth: 2 },
    }),
  ).rejects.toThrow(/spec.teeth in body should be greater than or equal to 3/);
});

test("a workload cannot be a custom kind, which is why the workloads are built in", async () => {
  const definition = {
    metadata: { name: "gadgets.apps" },
    spec: { ...sprocketDefinition.spec, group: "apps", names: { plural: "gadgets", kind: "Gadget" } },
  };
  await expect(
    admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition),
  ).rejects.toThrow(/spec.group: Invalid value: "apps": should be a domain with at least one dot/);
});

test("a service account gets tokens that are checked, and RBAC decides what they may do", async () => {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await admin.create(accounts, { metadata: { name: "robot" } });
  const issued = await admin.create(`${accounts}/robot/token`, { spec: { expirationSeconds: 600 } });
  const token = textAt(issued, "status", "token") ?? "";
  const review = await admin.create("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } });
  expect(at(review, "status", "authenticated")).toBe(true);
  expect(textAt(review, "status", "user", "username")).toBe("system:serviceaccount:default:robot");
  const robot = await as("system:serviceaccount:default:robot");
  expect((await robot.send("GET", "/api/v1/namespaces/default/secrets")).status).toBe(403);

  const secrets = "/api/v1/namespaces/default/secrets";
  await admin.create(secrets, {
    type: "kubernetes.io/service-account-token",
    metadata: { name: "robot-token", annotations: { "kubernetes.io/service-account.name": "robot" } },
  });
  await waitFor(
    "the Secret to hold a token and the authority",
    async () => {
      const secret = await admin.get(`${secrets}/robot-token`);
      return textAt(secret, "data", "token") !== undefined && textAt(secret, "data", "ca.crt") !== undefined;
    },
    soon,
  );
  await admin.send("DELETE", `${accounts}/robot`);
  await waitFor(
    "the Secret to go with its account",
    async () => (await admin.send("GET", `${secrets}/robot-token`)).status === 404,
    soon,
  );
});

test("a certificate request is signed once it is approved", async () => {
  const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const request = await signingRequest(await generateKey(), "fleetwright:cluster:one");
  await admin.create(requests, {
    metadata: { name: "one" },
    spec: {
      request: Buffer.from(request).toString("base64"),
      signerName: "kubernetes.io/kube-apiserver-client",
      usages: ["client auth"],
      expirationSeconds: 3600,
    },
  });
  const approval = parseJson((await admin.send("GET", `${requests}/one`)).body);
  const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "by the test" }];
  const put = { ...(approval as object), status: { conditions } };
  expect((await admin.send("PUT", `${requests}/one/approval`, put)).status).toBe(200);
  await waitFor(
    "the certificate",
    async () => textAt(await admin.get(`${requests}/one`), "status", "certificate") !== undefined,
    soon,
  );
});

test("what lost its owner is collected, and a namespace that is deleted goes with all that is in it", async () => {
  await admin.create("/api/v1/namespaces", { metadata: { name: "leaving" } });
  const configMaps = "/api/v1/namespaces/leaving/configmaps";
  const owner = await admin.create(configMaps, { metadata: { name: "owner" } });
  await admin.create(configMaps, {
    metadata: {
      name: "owned",
      ownerReferences: [
        { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: textAt(owner, "metadata", "uid") },
      ],
    },
  });
  await admin.create(configMaps, { metadata: { name: "bystander" } });
  expect((await admin.send("DELETE", `${configMaps}/owner`)).status).toBe(200);
  await waitFor(
    "the owned one to be collected",
    async () => (await admin.send("GET", `${configMaps}/owned`)).status === 404,
    soon,
  );
  expect((await admin.send("GET", `${configMaps}/bystander`)).status).toBe(200);

  await admin.create("/apis/apps/v1/namespaces/leaving/deployments", deployment("web"));
  await admin.send("DELETE", "/api/v1/namespaces/leaving");
  await waitFor(
    "the namespace to go",
    async () => {
      const { status, body } = await admin.send("GET", "/api/v1/namespaces/leaving");
      return status === 404 || body;
    },
    soon,
  );
});

test("roles are aggregated, the authority is published, and a bootstrap token signs the cluster's information", async () => {
  const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  await admin.create(roles, {
    metadata: { name: "part", labels: { "example.dev/part": "yes" } },
    rules: [{ apiGroups: ["example.dev"], resources: ["sprockets"], verbs: ["get"] }],
  });
  await admin.create(roles, {
    metadata: { name: "whole" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "example.dev/part": "yes" } }] },
  });
  await waitFor(
    "the rules",
    async () => listAt(await admin.get(`${roles}/whole`), "rules").length === 1,
    soon,
  );

  const published = await admin.get("/api/v1/namespaces/default/configmaps/kube-root-ca.crt");
  expect(textAt(published, "data", "ca.crt")).toBe(await readFile(hub.caCertificate, "utf8"));

  const publicMaps = "/api/v1/namespaces/kube-public/configmaps";
  await admin.create(publicMaps, { metadata: { name: "cluster-info" }, data: { kubeconfig: "x" } });
  await admin.create("/api/v1/namespaces/kube-system/secrets", {
    type: "bootstrap.kubernetes.io/token",
    metadata: { name: "bootstrap-token-abcdef" },
    stringData: {
      "token-id": "abcdef",
      "token-secret": "0123456789abcdef",
      "usage-bootstrap-signing": "true",
    },
  });
  await waitFor(
    "the signature",
    async () =>
      textAt(await admin.get(`${publicMaps}/cluster-info`), "data", "jws-kubeconfig-abcdef") !== undefined,
    soon,
  );
});

test("each controller acts under its own name and rights, and none was refused", async () => {
  const entries = (await readFile(path.join(hub.dir, "logs", "audit.log"), "utf8"))
    .trimEnd()
    .split("\n")
    .map(parseJson);
  const actors = new Set(entries.map((entry) => textAt(entry, "impersonatedUser", "username")));
  for (const name of [
    "namespace-controller",
    "generic-garbage-collector",
    "service-account-controller",
    "clusterrole-aggregation-controller",
    "certificate-controller",
    "bootstrap-signer",
    "root-ca-cert-publisher",
  ])
    expect([...actors]).toContain(`system:serviceaccount:kube-system:${name}`);
  const refused = entries.filter(
    (entry) =>
      at(entry, "impersonatedUser") !== undefined &&
      textAt(entry, "annotations", "authorization.k8s.io/decision") === "forbid",
  );
  const described = refused.map((entry) => [
    textAt(entry, "impersonatedUser", "username"),
    textAt(entry, "requestURI"),
  ]);
  expect(described).toEqual([]);
});

test("nobody is served without a certificate or token", async () => {
  const nobody = new ApiClient({
    endpoint: hub.endpoint,
    authority: await readFile(hub.caCertificate, "utf8"),
  });
  clients.push(nobody);
  expect((await nobody.send("GET", "/readyz")).status).toBe(200);
  expect((await nobody.send("GET", "/api/v1/namespaces")).status).toBe(401);
});

test("killed, it leaves no etcd behind, and the next one has all its data", async () => {
  const dir = path.join(scratch, "kept");
  const first = await startHub(dir);
  const before = await client(first);
  await before.create("/apis/apps/v1/namespaces/default/deployments", deployment("survivor"));
  const [server] = first.processes;
  if (server === undefined) throw new Error("no process");
  const etcd = childrenOf(server.pid);
  expect(etcd).toHaveLength(1);
  killProcess(server);
  await waitFor("the server to be gone", () => !isRunning(server), soon);
  await waitFor("its etcd to be gone", () => !etcd.some(isRunning), soon);
  await first.stop();

  const second = await startHub(dir);
  const after = await client(second);
  expect((await after.send("GET", "/apis/apps/v1/namespaces/default/deployments/survivor")).status).toBe(200);
  await second.stop();
});

function startHub(dir?: string): Promise<ControlPlane> {
  return startControlPlane({ server: "hub-apiserver", ...(dir === undefined ? {} : { dir }) });
}

async function as(user: string, groups: readonly string[] = []): Promise<ApiClient> {
  return client(hub, user, groups);
}

async function client(
  plane: ControlPlane,
  user = "admin",
  groups: readonly string[] = ["fleetwright:cluster-admins"],
): Promise<ApiClient> {
  const made = new ApiClient({
    endpoint: plane.endpoint,
    authority: await readFile(plane.caCertificate, "utf8"),
    client: await plane.credentialsFor(user, groups),
  });
  clients.push(made);
  return made;
}

function deployment(name: string, labels: Record<string, string> = { app: name }) {
  return {
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
    },
  };
}

const sprocketDefinition = {
  metadata: { name: "sprockets.example.dev" },
  spec: {
    group: "example.dev",
    names: { plural: "sprockets", kind: "Sprocket" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { teeth: { type: "integer", minimum: 3 } } } },
          },
        },
      },
    ],
  },
};
