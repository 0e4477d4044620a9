// Registers a cluster as a person does, starts its syncer with what that gave, and tries what its certificate can do.
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { CLUSTERS } from "../controllers/hub/kinds";
import { requestFor, requestObjection } from "../controllers/syncer/certificate";
import { SyncerProgram } from "../controllers/syncer/program";
import { readSettings } from "../controllers/syncer/settings";
import { SHARES } from "../controllers/syncer/kinds";
import { ApiClient, ApiError, kubeconfigCredentials, Logger, resourcePath } from "../controllers/runtime";
import { CONFIG_MAPS, SECRETS, waitFor } from "../test/harness/fault-proxy";
import {
  clusterSays,
  FleetServer,
  installHubKinds,
  ShareProbe,
  startHub,
  type RunningHub,
} from "../test/harness/fleet";
import { register } from "./register";
import { unregister } from "./unregister";

const forever = new AbortController().signal;

let hub: FleetServer;
let member: FleetServer;
let running: RunningHub;
let folder: string;
let said: jest.SpyInstance;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "fleetwright-hub-"));
  said = jest.spyOn(process.stderr, "write").mockReturnValue(true);
  [hub, member] = await Promise.all([
    FleetServer.start({ components: { scheduler: false } }),
    FleetServer.start({ components: { controllerManager: false, scheduler: false } }),
  ]);
  await installHubKinds(hub);
  running = await startHub(hub);
});

afterAll(async () => {
  said.mockRestore();
  await running.stop();
  await Promise.all([hub.stop(), member.stop()]);
  await rm(folder, { recursive: true });
});

const file = (name: string): string => path.join(folder, name);
const asHub = (): string[] => ["--kubeconfig", hub.plane.kubeconfig];

interface Started {
  lines: string[];
  stop(): Promise<void>;
}

function startProgram(cluster: string): Started {
  const lines: string[] = [];
  const flags = [
    "--cluster",
    cluster,
    "--bootstrap",
    file(`${cluster}.bootstrap`),
    "--hub",
    file(`${cluster}.hub`),
  ];
  const settings = readSettings(
    [...flags, "--member", member.plane.kubeconfig, "--port=0", "--host=127.0.0.1"],
    {},
  );
  const program = new SyncerProgram(
    settings,
    new Logger({ level: "debug", write: (line) => lines.push(line) }),
  );
  const end = new AbortController();
  const run = program.run(end.signal);
  return {
    lines,
    async stop() {
      end.abort();
      await run;
    },
  };
}

test("a cluster is registered, waits until it is accepted, and is then kept in step", async () => {
  await register(["west", "--output", file("west.bootstrap"), ...asHub()], forever);
  expect((await stat(file("west.bootstrap"))).mode & 0o777).toBe(0o600);
  const syncer = startProgram("west");
  await waitFor("the request", () =>
    syncer.lines.some((line) => line.includes("Asked the hub for a certificate")),
  );
  await clusterSays(hub, "west", "Accepted", "NotAccepted");
  await expect(stat(file("west.hub"))).rejects.toThrow("ENOENT");
  await hub.direct.patch(CLUSTERS, { name: "west" }, { spec: { accepted: true } });
  await clusterSays(hub, "west", "Ready", "Synced");
  const { status } = await hub.direct.get(CLUSTERS, { name: "west" });
  const days = (Date.parse(status?.certificateExpires ?? "") - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);
  const shares = new ShareProbe(hub, "west");
  await shares.put("a", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "shop" } });
  await shares.says("a", "Applied", "Applied");
  await syncer.stop();
  // Neither token nor key stands in what it logged.
  const secrets = [await readFile(file("west.bootstrap"), "utf8"), await readFile(file("west.hub"), "utf8")];
  const key = /"client-key-data":"([^"]+)"/.exec(secrets[1] ?? "")?.[1] ?? "missing";
  const token = /"token":"([^"]+)"/.exec(secrets[0] ?? "")?.[1] ?? "missing";
  for (const line of syncer.lines) for (const secret of [key, token]) expect(line).not.toContain(secret);
});

test("a token is good for one certificate", async () => {
  await rm(file("west.hub"));
  const syncer = startProgram("west");
  await waitFor("the refusal", () => syncer.lines.some((line) => line.includes("token was already used")));
  await syncer.stop();
  await register(["west", "--output", file("west.bootstrap"), ...asHub()], forever);
  const again = startProgram("west");
  await waitFor("a certificate", () =>
    again.lines.some((line) => line.includes("The hub gave a certificate.")),
  );
  await again.stop();
});

test("the certificate of a syncer can do nothing outside its namespace, and there no more than its work", async () => {
  await register(["other", "--output", file("other.bootstrap"), "--accept", ...asHub()], forever);
  await hub.direct.create(SECRETS, { metadata: { name: "s", namespace: "cluster-west" } });
  const shares = new ShareProbe(hub, "other");
  await waitFor(
    "its namespace",
    async () => (await hub.find({ ...CLUSTERS, plural: "clusters" }, { name: "other" })) !== undefined,
  );
  await shares.put("theirs", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "shop" },
  });
  const west = new ApiClient(kubeconfigCredentials(file("west.hub")), { rateLimit: false });
  const refused: string[] = [];
  const allowed: string[] = [];
  const attempt = async (method: string, requestPath: string, body?: object): Promise<void> => {
    const what = `${method} ${requestPath}`;
    try {
      await west.request({
        method,
        path: requestPath,
        ...(body === undefined ? {} : { body, contentType: "application/merge-patch+json" }),
        ...(requestPath.includes("watch=") ? { query: { timeoutSeconds: 1 } } : {}),
      });
      allowed.push(what);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      (error.code === 403 ? refused : allowed).push(what);
    }
  };
  const foreign = resourcePath(SHARES, { namespace: "cluster-other" });
  const everywhere = resourcePath(SHARES);
  const own = resourcePath(SHARES, { namespace: "cluster-west" });
  const forbidden: [string, string, object?][] = [
    ["GET", foreign],
    ["GET", `${foreign}/theirs`],
    ["PATCH", `${foreign}/theirs`, { metadata: {} }],
    ["PATCH", `${foreign}/theirs/status`, { status: {} }],
    ["DELETE", `${foreign}/theirs`],
    ["GET", everywhere],
    ["GET", "/apis/coordination.k8s.io/v1/namespaces/cluster-other/leases/heartbeat"],
    ["PATCH", "/apis/coordination.k8s.io/v1/namespaces/cluster-other/leases/heartbeat", { spec: {} }],
    ["GET", "/api/v1/namespaces/cluster-other/secrets"],
    ["GET", "/api/v1/namespaces/cluster-west/secrets"],
    ["GET", "/api/v1/namespaces/cluster-west/secrets/s"],
    ["GET", "/api/v1/secrets"],
    ["GET", "/api/v1/namespaces"],
    ["GET", "/apis/fleetwright.dev/v1/clusters"],
    ["GET", "/apis/fleetwright.dev/v1/clusters/west"],
    ["PATCH", "/apis/fleetwright.dev/v1/clusters/west", { spec: { accepted: true } }],
    ["PATCH", "/apis/fleetwright.dev/v1/clusters/west/status", { status: {} }],
    ["DELETE", `${own}/a`],
    ["GET", "/apis/certificates.k8s.io/v1/certificatesigningrequests"],
    ["GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles"],
    ["GET", "/api/v1/namespaces/shop/configmaps"],
  ];
  for (const [method, requestPath, body] of forbidden) await attempt(method, requestPath, body);
  expect(allowed).toEqual([]);
  expect(refused).toHaveLength(forbidden.length);
  await attempt("GET", own);
  await attempt("GET", "/api/v1/namespaces/kube-system");
  expect(allowed).toHaveLength(2);
  west.close();
});

test("nobody gets a certificate for another cluster's name, nor one that says more", async () => {
  const { request } = await requestFor("other");
  expect(await requestObjection(request, "other")).toBeUndefined();
  expect(await requestObjection(request, "west")).toMatch(/its subject is "CN=fleetwright:cluster:other"/);
  expect(await requestObjection("nonsense", "west")).toMatch(/cannot be read/);
  const west = new ApiClient(kubeconfigCredentials(file("west.hub")), { rateLimit: false });
  const asked = await west.request<{ metadata: { name: string } }>({
    method: "POST",
    path: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    body: {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: "climb" },
      spec: {
        request: Buffer.from(request).toString("base64"),
        signerName: "kubernetes.io/kube-apiserver-client",
        usages: ["client auth", "digital signature"],
      },
    },
  });
  const denied = await waitFor("the denial", async () => {
    const found = await hub.direct.request<{ status?: { conditions?: { type: string; message: string }[] } }>(
      {
        method: "GET",
        path: `/apis/certificates.k8s.io/v1/certificatesigningrequests/${asked.metadata.name}`,
      },
    );
    return found.status?.conditions?.find(({ type }) => type === "Denied");
  });
  expect(denied?.message).toMatch(/not CN=fleetwright:cluster:west alone/);
  west.close();
});

test("what is taken out leaves nothing on the hub, and its objects in the member", async () => {
  await unregister(["west", "--member", member.plane.kubeconfig, ...asHub()], forever);
  expect(await hub.find(CLUSTERS, { name: "west" })).toBeUndefined();
  const left = await hub.direct.request<{ items: { metadata: { name: string } }[] }>({
    method: "GET",
    path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  });
  expect(left.items.map(({ metadata }) => metadata.name).filter((name) => name.endsWith(":west"))).toEqual(
    [],
  );
  expect(
    await member.find(CONFIG_MAPS, { namespace: "fleetwright-system", name: "fleetwright-hub" }),
  ).toBeUndefined();
  expect(await member.find(CONFIG_MAPS, { namespace: "shop", name: "a" })).toBeDefined();
});
