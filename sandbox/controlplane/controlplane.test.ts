import { readFile, stat } from "node:fs/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { ObjectCoreV1Api } from "@kubernetes/client-node/dist/gen/types/ObjectParamAPI.js";
import { inspectControlPlane, startControlPlane, type ControlPlane } from ".";
import { ApiClient } from "./api";
import { waitFor } from "../../lib/deadline";
import { listAt, numberAt, parseJson, textAt } from "../../lib/json";
import { layoutOf } from "./layout";
import { LOOPBACK } from "./network";

const soon = { timeoutMs: 120_000 };
const clients: ApiClient[] = [];
let plane: ControlPlane;
let admin: ApiClient;

beforeAll(async () => {
  plane = await startControlPlane({ nodes: 2 });
  admin = await as("tester", ["fleetwright:cluster-admins"]);
});

afterAll(async () => {
  clients.forEach((client) => client.close());
  await plane.stop();
});

test("every component runs, is ready and is listed with its memory", async () => {
  const status = await inspectControlPlane(plane.dir);
  expect(status?.ready).toBe(true);
  expect(status?.components.map(({ name }) => name).sort()).toEqual(
    ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"].sort(),
  );
  for (const component of status?.components ?? [])
    expect(component.residentBytes).toBeGreaterThan(10_000_000);
});

test("nothing listens but on the loopback address", async () => {
  const inodes = await Promise.all(["tcp", "tcp6"].map((table) => readFile(`/proc/net/${table}`, "utf8")));
  const listening = inodes
    .join("\n")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === "0A")
    .map((fields) => (fields[1] ?? "").split(":"));
  for (const { name, port } of plane.processes) {
    const addresses = listening
      .filter(([, hex]) => Number.parseInt(hex ?? "", 16) === port)
      .map(([address]) => address);
    expect([name, addresses]).toEqual([name, ["0100007F"]]);
  }
});

test("the kubeconfig is the owner's alone, and a stock client lists namespaces with it", async () => {
  expect((await stat(plane.kubeconfig)).mode & 0o777).toBe(0o600);
  expect((await stat(plane.dir)).mode & 0o777).toBe(0o700);
  const config = new KubeConfig();
  config.loadFromFile(plane.kubeconfig);
  expect(config.getCurrentContext()).toBe("fleetwright-sandbox");
  const namespaces = await config.makeApiClient(ObjectCoreV1Api).listNamespace();
  expect(namespaces.items.map((item) => item.metadata?.name)).toEqual(
    expect.arrayContaining(["default", "kube-system", "kube-public", "kube-node-lease"]),
  );
});

test("without a certificate one learns that it lives, and nothing else", async () => {
  const nobody = client({ endpoint: plane.endpoint, authority: await authority() });
  expect(await nobody.send("GET", "/readyz")).toEqual({ status: 200, body: "ok" });
  for (const path of ["/version", "/api/v1/namespaces", "/readyz/etcd", "/metrics"]) {
    expect([path, (await nobody.send("GET", path)).status]).toEqual([path, 401]);
  }
});

test("etcd lets nobody in without a certificate of its own authority", async () => {
  const etcd = plane.processes.find(({ name }) => name === "etcd");
  const endpoint = `https://${LOOPBACK}:${etcd?.port ?? 0}`;
  const etcdAuthority = await readFile(`${layoutOf(plane.dir).pki}/etcd-ca.crt`, "utf8");
  await expect(client({ endpoint, authority: etcdAuthority }).get("/health")).rejects.toThrow(
    /certificate required|alert/i,
  );
  const stranger = await plane.credentialsFor("root", ["system:masters"]);
  const asking = client({ endpoint, authority: etcdAuthority, client: stranger }).get("/health");
  await expect(asking).rejects.toThrow(/certificate|alert|unknown/i);
});

test("a user has the rights that RBAC gives, no others", async () => {
  const user = await as("jane");
  expect((await user.send("GET", "/api/v1/nodes")).status).toBe(403);
  await admin.apply("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/jane", {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "jane" },
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: "system:node-problem-detector",
    },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
  });
  await waitFor(
    "jane's rights",
    async () => (await user.send("GET", "/api/v1/nodes/node-1")).status === 200,
    soon,
  );
  expect((await user.send("GET", "/api/v1/nodes")).status).toBe(403);
});

test("kwok may not read secrets, nor make nodes", async () => {
  const kwok = await as("fleetwright:kwok");
  expect((await kwok.send("GET", "/api/v1/nodes")).status).toBe(200);
  expect((await kwok.send("GET", "/api/v1/secrets")).status).toBe(403);
  expect((await kwok.send("POST", "/api/v1/nodes", {})).status).toBe(403);
});

describe("a node", () => {
  let node: ApiClient;
  beforeAll(async () => {
    node = await as("system:node:node-1", ["system:nodes"]);
    await secret("not-for-nodes");
  });

  test("may see itself but not read a secret that none of its pods uses", async () => {
    expect((await node.send("GET", "/api/v1/nodes/node-1")).status).toBe(200);
    const answer = await node.send("GET", "/api/v1/namespaces/default/secrets/not-for-nodes");
    expect(answer.status).toBe(403);
    expect(answer.body).toContain("no relationship found between node 'node-1' and this object");
  });

  test("may label itself but no other node", async () => {
    const label = { metadata: { labels: { "example.com/mine": "yes" } } };
    const patch = async (name: string) =>
      node.send("PATCH", `/api/v1/nodes/${name}`, label, "application/merge-patch+json");
    expect((await patch("node-1")).status).toBe(200);
    const refused = await patch("node-2");
    expect(refused.status).toBe(403);
    expect(refused.body).toContain("is not allowed to modify node");
  });
});

test("a service account's token is accepted, with the rights of its account", async () => {
  const token = textAt(
    await admin.create("/api/v1/namespaces/default/serviceaccounts/default/token", {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 600 },
    }),
    "status",
    "token",
  );
  const review = await admin.create("/apis/authentication.k8s.io/v1/tokenreviews", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    spec: { token },
  });
  expect(textAt(review, "status", "user", "username")).toBe("system:serviceaccount:default:default");
});

test("the audit log says who made a secret, not what is in it", async () => {
  await secret("audited");
  const path = layoutOf(plane.dir).auditLog;
  let entry: unknown;
  await waitFor(
    "the entry",
    async () => {
      const lines = (await readFile(path, "utf8")).split("\n").map(parseJson);
      entry = lines.find(
        (line) => textAt(line, "objectRef", "name") === "audited" && textAt(line, "verb") === "create",
      );
      return entry !== undefined;
    },
    soon,
  );
  expect(textAt(entry, "user", "username")).toBe("tester");
  expect(numberAt(entry, "responseStatus", "code")).toBe(201);
  expect(textAt(entry, "level")).toBe("Metadata");
  const whole = await readFile(path, "utf8");
  expect(whole).not.toContain(Buffer.from("hunter2").toString("base64"));
  expect(whole).not.toContain('"requestObject"');
});

test("a pod is scheduled to a simulated node and runs there, with an address", async () => {
  await admin.create("/api/v1/namespaces/default/pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "traveller" },
    spec: { containers: [{ name: "main", image: "example.com/none" }] },
  });
  let pod: unknown;
  await waitFor(
    "the pod to run",
    async () => {
      pod = await admin.get("/api/v1/namespaces/default/pods/traveller");
      return (
        textAt(pod, "status", "phase") === "Running" || `it is ${textAt(pod, "status", "phase") ?? "unknown"}`
      );
    },
    soon,
  );
  expect(textAt(pod, "spec", "nodeName")).toMatch(/^node-[12]$/);
  expect(textAt(pod, "status", "podIP")).toMatch(/^10\.1[2-9]\d\.|^10\.2\d\d\./);
});

test("nodes can be added, with labels", async () => {
  expect(await plane.addNodes(2, { prefix: "gpu-", labels: { pool: "gpu" } })).toEqual(["gpu-1", "gpu-2"]);
  const found = listAt(await admin.get("/api/v1/nodes?labelSelector=pool%3Dgpu"), "items");
  const ready = found.map((node) =>
    listAt(node, "status", "conditions").some(
      (entry) => textAt(entry, "type") === "Ready" && textAt(entry, "status") === "True",
    ),
  );
  expect(ready).toEqual([true, true]);
});

test("a kubeconfig can be had for anyone", async () => {
  const config = new KubeConfig();
  config.loadFromFile(await plane.kubeconfigFor("system:serviceaccount:x:y", ["z"]));
  await expect(config.makeApiClient(ObjectCoreV1Api).listNamespace()).rejects.toThrow(
    /system:serviceaccount:x:y.*cannot list/s,
  );
});

async function authority(): Promise<string> {
  return readFile(plane.caCertificate, "utf8");
}

async function as(user: string, groups: string[] = []): Promise<ApiClient> {
  const credentials = await plane.credentialsFor(user, groups);
  return client({ endpoint: plane.endpoint, authority: await authority(), client: credentials });
}

function client(access: ConstructorParameters<typeof ApiClient>[0]): ApiClient {
  const made = new ApiClient(access);
  clients.push(made);
  return made;
}

async function secret(name: string): Promise<void> {
  await admin.create("/api/v1/namespaces/default/secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    stringData: { password: "hunter2" },
  });
}
