// Registers a cluster as a person does, starts its syncer with what that gave, and tries what its certificate can do.
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { CLUSTERS } from "../controllers/hub/kinds";
import { requestFor, requestObjection, validityOf } from "../controllers/syncer/certificate";
import { HubAccess } from "../controllers/syncer/hub-access";
import { SyncerProgram } from "../controllers/syncer/program";
import { readSettings } from "../controllers/syncer/settings";
import { SHARES } from "../controllers/syncer/kinds";
import {
  ApiClient,
  ApiError,
  kubeconfigCredentials,
  Logger,
  resourcePath,
  systemClock,
  type Clock,
} from "../controllers/runtime";
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
    const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    try {
      if (method === "WATCH")
        (await west.stream(requestPath, { watch: true, timeoutSeconds: 1 }, forever)).destroy();
      else
        await west.request({
          method,
          path: requestPath,
          ...(body === undefined ? {} : { body, contentType }),
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
  const share = {
    apiVersion: "fleetwright.dev/v1",
    kind: "Share",
    metadata: { name: "made" },
    spec: (await shares.get("theirs"))?.spec,
  };
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "heartbeat" } };
  const binding = {
    metadata: { name: "made" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "fleetwright:cluster:west" }],
  };
  const forbidden: [string, string, object?][] = [
    ["GET", foreign],
    ["GET", `${foreign}/theirs`],
    ["PATCH", `${foreign}/theirs`, { metadata: {} }],
    ["PATCH", `${foreign}/theirs/status`, { status: {} }],
    ["DELETE", `${foreign}/theirs`],
    ["GET", everywhere],
    ["WATCH", foreign],
    ["WATCH", everywhere],
    ["WATCH", "/apis/coordination.k8s.io/v1/namespaces/cluster-other/leases"],
    ["WATCH", "/apis/coordination.k8s.io/v1/leases"],
    ["WATCH", "/api/v1/namespaces/cluster-other/secrets"],
    ["WATCH", "/api/v1/namespaces/cluster-west/secrets"],
    ["WATCH", "/api/v1/secrets"],
    ["WATCH", "/api/v1/namespaces"],
    ["WATCH", "/apis/fleetwright.dev/v1/clusters"],
    ["WATCH", "/apis/certificates.k8s.io/v1/certificatesigningrequests"],
    ["POST", foreign, share],
    ["POST", own, share],
    ["POST", "/apis/coordination.k8s.io/v1/namespaces/cluster-other/leases", lease],
    ["POST", "/api/v1/namespaces/cluster-west/secrets", { metadata: { name: "made" } }],
    ["POST", "/api/v1/namespaces", { metadata: { name: "made" } }],
    ["POST", "/api/v1/namespaces/cluster-other/serviceaccounts/bootstrap/token", {}],
    ["POST", "/api/v1/namespaces/cluster-west/serviceaccounts/bootstrap/token", {}],
    ["POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/cluster-west/rolebindings", binding],
    ["POST", "/apis/fleetwright.dev/v1/clusters", { metadata: { name: "made" }, spec: {} }],
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
  await attempt("WATCH", own);
  await attempt("GET", "/api/v1/namespaces/kube-system");
  expect(allowed).toHaveLength(3);
  west.close();
});

/** A clock that can be set ahead, and on which whoever sleeps soon wakes. */
function movable(): Clock & { ahead: number; naps: number } {
  return {
    ahead: 0,
    naps: 0,
    now() {
      return Date.now() + this.ahead;
    },
    monotonic: () => performance.now(),
    schedule(ms, run) {
      this.naps += 1;
      return systemClock.schedule(Math.min(ms, 50), run);
    },
  };
}

const certificateIn = async (name: string): Promise<string> => {
  const data = /"client-certificate-data":"([^"]+)"/.exec(await readFile(file(name), "utf8"))?.[1] ?? "";
  return Buffer.from(data, "base64").toString("utf8");
};

test("a certificate is renewed by itself after two thirds of its time, and not before; expired, it needs a new token", async () => {
  await register(["renewed", "--output", file("renewed.bootstrap"), "--accept", ...asHub()], forever);
  const clock = movable();
  const lines: string[] = [];
  const options = {
    cluster: "renewed",
    bootstrap: file("renewed.bootstrap"),
    file: file("renewed.hub"),
    log: new Logger({ write: (line) => lines.push(line) }),
    clock,
    // The least that an API server gives.
    seconds: 600,
  };
  const access = new HubAccess(options);
  await access.ready(forever);
  const first = await certificateIn("renewed.hub");
  const { from, to } = validityOf(first);
  const token = await readFile(file("renewed.bootstrap"), "utf8");
  await rm(file("renewed.bootstrap"));
  const end = new AbortController();
  const run = access.run(end.signal);

  clock.ahead = from + ((to - from) * 2) / 3 - 30_000 - Date.now();
  const naps = clock.naps;
  await waitFor("it to have looked several times", () => clock.naps > naps + 5);
  expect(await certificateIn("renewed.hub")).toBe(first);
  clock.ahead += 31_000;
  await waitFor("the renewal", () => lines.some((line) => line.includes("The certificate was renewed.")));
  clock.ahead = 0;
  const second = await certificateIn("renewed.hub");
  expect(validityOf(second).to).toBeGreaterThanOrEqual(to);
  expect(second).not.toBe(first);
  end.abort();
  await run;

  // Away for longer than it lasts: the certificate is worth nothing any more, and neither is the token of the first time.
  await writeFile(file("renewed.bootstrap"), token, { mode: 0o600 });
  clock.ahead = validityOf(second).to + 1000 - Date.now();
  const away = new AbortController();
  const late = new HubAccess(options).ready(away.signal);
  await waitFor("the refusal", () =>
    lines.some((line) => /register the cluster again.*already used/.test(line)),
  );
  away.abort();
  await late;
  expect(await certificateIn("renewed.hub")).toBe(second);
  await rm(file("renewed.hub"));
  clock.ahead = 0;
  await register(["renewed", "--output", file("renewed.bootstrap"), ...asHub()], forever);
  await new HubAccess(options).ready(forever);
  expect(await certificateIn("renewed.hub")).not.toBe(second);
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

test("a kubeconfig that lies on the hub runs nothing on the machine of whoever takes the cluster out", async () => {
  const proof = file("proof");
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "touch", args: [proof] };
  const text = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "member",
    clusters: [{ name: "member", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "syncer", user: { exec } }],
    contexts: [{ name: "member", context: { cluster: "member", user: "syncer" } }],
  });
  await hub.direct.create(SECRETS, {
    metadata: { name: "cluster-trap", namespace: "fleetwright-system" },
    data: { kubeconfig: Buffer.from(text).toString("base64") },
  });
  await expect(unregister(["trap", ...asHub()], forever)).rejects.toThrow(
    /runs a program to log in.*--member/,
  );
  await expect(stat(proof)).rejects.toThrow("ENOENT");
});
