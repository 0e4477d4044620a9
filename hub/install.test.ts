// Registers a cluster whose syncer runs in it, and runs the syncer with exactly what its pod would have: flags, files, rights.
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadAll } from "js-yaml";
import { CLUSTERS } from "../controllers/hub/kinds";
import { Logger, type KubernetesObject, type Resource } from "../controllers/runtime";
import { SyncerProgram } from "../controllers/syncer/program";
import { CERTIFICATE_SECRET, SYNCER_NAME } from "../controllers/syncer/role";
import { readSettings } from "../controllers/syncer/settings";
import { listAt, textAt } from "../lib/json";
import { CONFIG_MAPS, SECRETS, waitFor } from "../test/harness/fault-proxy";
import {
  clusterSays,
  FleetServer,
  installHubKinds,
  ShareProbe,
  startHub,
  type RunningHub,
} from "../test/harness/fleet";
import { BOOTSTRAP_FOLDER } from "./install";
import { register } from "./register";
import { unregister } from "./unregister";

const IMAGE = `registry.test/syncer@sha256:${"d".repeat(64)}`;
const NAMESPACE = "fleetwright-system";
const forever = new AbortController().signal;

const DEPLOYMENTS: Resource<KubernetesObject & { spec?: object }> = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};

let hub: FleetServer;
let member: FleetServer;
let running: RunningHub;
let folder: string;
let said: string[] = [];
let printed: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "fleetwright-install-"));
  jest.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  [hub, member] = await Promise.all([
    FleetServer.start({ server: "hub-apiserver" }),
    FleetServer.start({ components: { controllerManager: false, scheduler: false } }),
  ]);
  await installHubKinds(hub);
  running = await startHub(hub);
});

beforeEach(() => {
  said = [];
  printed = [];
});

afterAll(async () => {
  jest.restoreAllMocks();
  await running.stop();
  await Promise.all([hub.stop(), member.stop()]);
  await rm(folder, { recursive: true });
});

const file = (name: string): string => path.join(folder, name);
const asHub = (): string[] => ["--kubeconfig", hub.plane.kubeconfig];

/** Runs what prints to standard output. */
async function printing(work: () => Promise<void>): Promise<string> {
  const spy = jest
    .spyOn(process.stdout, "write")
    .mockImplementation((text) => printed.push(String(text)) > 0);
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return printed.join("");
}

interface Started {
  lines: string[];
  stop(): Promise<void>;
}

/** A kubeconfig with the token that the kubelet would give to the syncer's pod, and nothing more. */
async function podKubeconfig(): Promise<string> {
  const { status } = await member.direct.request<{ status: { token: string } }>({
    method: "POST",
    path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${SYNCER_NAME}/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } },
  });
  const authority = await readFile(member.plane.caCertificate);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "pod",
    clusters: [
      {
        name: "pod",
        cluster: {
          server: member.plane.endpoint,
          "certificate-authority-data": authority.toString("base64"),
        },
      },
    ],
    users: [{ name: "pod", user: { token: status.token } }],
    contexts: [{ name: "pod", context: { cluster: "pod", user: "pod" } }],
  };
  await writeFile(file("pod.kubeconfig"), JSON.stringify(config), { mode: 0o600 });
  return file("pod.kubeconfig");
}

/** Runs the syncer with the flags of the Deployment in the member and the files of its Secrets. */
async function startPod(): Promise<Started> {
  const deployment = await member.direct.get(DEPLOYMENTS, { namespace: NAMESPACE, name: SYNCER_NAME });
  const [container] = listAt(deployment, "spec", "template", "spec", "containers");
  const [volume] = listAt(deployment, "spec", "template", "spec", "volumes");
  const secret = await member.direct.get(SECRETS, {
    namespace: NAMESPACE,
    name: textAt(volume, "secret", "secretName") ?? "",
  });
  await writeFile(file("kubeconfig"), Buffer.from(textAt(secret, "data", "kubeconfig") ?? "", "base64"));
  const flags = listAt(container, "args").map((flag) =>
    String(flag)
      .replace(BOOTSTRAP_FOLDER, folder)
      .replace(/^--port=.*/, "--port=0"),
  );
  expect(flags.join(" ")).not.toContain("/etc/");
  const lines: string[] = [];
  const program = new SyncerProgram(
    readSettings([...flags, "--host=127.0.0.1", `--member=${await podKubeconfig()}`], {}),
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

test("the manifest that is printed is all that the syncer needs, and holds a token for nobody else to read", async () => {
  const text = await printing(() => register(["west", "--install", "--image", IMAGE, ...asHub()], forever));
  expect(loadAll(text).map((object) => textAt(object, "kind"))).toEqual([
    "Namespace",
    "ServiceAccount",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "NetworkPolicy",
    "Secret",
    "Deployment",
  ]);
  expect(said.join("")).toContain("kubectl --context <west> apply -f -");
  await register(["west", "--install", "--image", IMAGE, "--output", file("west.yaml"), ...asHub()], forever);
  expect((await stat(file("west.yaml"))).mode & 0o077).toBe(0);
  expect((await hub.direct.get(CLUSTERS, { name: "west" })).spec.connection).toEqual({ mode: "pull" });
});

test("it is applied, and the syncer keeps the member in step with the rights of its account alone", async () => {
  const flags = ["--install", "--apply", "--member", member.plane.kubeconfig, "--image", IMAGE, "--accept"];
  await register(["west", ...flags, ...asHub()], forever);
  const pod = await startPod();
  await clusterSays(hub, "west", "Ready", "Synced");
  const shares = new ShareProbe(hub, "west");
  await shares.put("a", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "shop" } });
  await shares.says("a", "Applied", "Applied");
  await shares.remove("a");
  await shares.gone("a");
  expect(await member.find(CONFIG_MAPS, { namespace: "shop", name: "a" })).toBeUndefined();
  await pod.stop();
  expect(pod.lines.filter((line) => line.includes("forbidden"))).toEqual([]);
});

test("the certificate survives the pod: the next one needs no token", async () => {
  const kept = await member.direct.get(SECRETS, { namespace: NAMESPACE, name: CERTIFICATE_SECRET });
  const next = await startPod();
  await waitFor("the claim", () => next.lines.some((line) => line.includes("belongs to this hub")));
  await next.stop();
  expect(next.lines.filter((line) => line.includes("Asked the hub"))).toEqual([]);
  const after = await member.direct.get(SECRETS, { namespace: NAMESPACE, name: CERTIFICATE_SECRET });
  expect(after.metadata.resourceVersion).toBe(kept.metadata.resourceVersion);
  // Neither the key nor the token of the hub stands in a log.
  const key = /"client-key-data":"([^"]+)"/.exec(
    Buffer.from(textAt(kept, "data", "kubeconfig") ?? "", "base64").toString("utf8"),
  )?.[1];
  expect(next.lines.join("\n")).not.toContain(key ?? "missing");
});

test("what is taken out leaves no syncer, no rights and no Secret in the member, and the namespace to others", async () => {
  await unregister(["west", "--member", member.plane.kubeconfig, ...asHub()], forever);
  const left: string[] = [];
  for (const resource of ["secrets", "serviceaccounts", "configmaps"]) {
    const { items } = await member.direct.request<{ items: KubernetesObject[] }>({
      method: "GET",
      path: `/api/v1/namespaces/${NAMESPACE}/${resource}`,
    });
    left.push(...items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith("fleetwright")));
  }
  for (const resource of ["clusterroles", "clusterrolebindings"]) {
    const { items } = await member.direct.request<{ items: KubernetesObject[] }>({
      method: "GET",
      path: `/apis/rbac.authorization.k8s.io/v1/${resource}`,
    });
    left.push(...items.map(({ metadata }) => metadata.name).filter((name) => name === SYNCER_NAME));
  }
  expect(left).toEqual([]);
  expect(await member.find(DEPLOYMENTS, { namespace: NAMESPACE, name: SYNCER_NAME })).toBeUndefined();
});

test("with --delete what the hub placed in a member goes first, and then the member is free for another hub", async () => {
  await register(["south", "--member", member.plane.kubeconfig, "--accept", ...asHub()], forever);
  await clusterSays(hub, "south", "Ready", "Synced");
  const shares = new ShareProbe(hub, "south");
  await shares.put("b", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "shop" } });
  await shares.says("b", "Applied", "Applied");
  await unregister(["south", "--delete", ...asHub()], forever);
  expect(said.join("")).toContain("What the hub placed there is gone.");
  expect(await hub.find(CLUSTERS, { name: "south" })).toBeUndefined();
  expect(await member.find(CONFIG_MAPS, { namespace: "shop", name: "b" })).toBeUndefined();
  expect(await member.find(CONFIG_MAPS, { namespace: NAMESPACE, name: "fleetwright-hub" })).toBeUndefined();
  expect(await hub.find(SECRETS, { namespace: NAMESPACE, name: "cluster-south" })).toBeUndefined();
});

test.each<[string, string[], RegExp]>([
  ["without an image", ["--install"], /--image is missing.*by its digest/],
  ["with an image by its tag", ["--install", "--image", "x:1"], /--image is "x:1"/],
  ["with --apply and nowhere to apply", ["--install", "--image", IMAGE, "--apply"], /--apply needs --member/],
  ["with --member and no --apply", ["--install", "--image", IMAGE, "--member", "f"], /add --apply/],
  ["with --image alone", ["--image", IMAGE, "--output", "f"], /go with --install/],
  [
    "with a kind that is none",
    ["--install", "--image", IMAGE, "--kinds", "widgets"],
    /--kinds names "widgets"/,
  ],
])("a command line %s is refused with what is missing", async (_, flags, reason) => {
  await expect(register(["north", ...flags, ...asHub()], forever)).rejects.toThrow(reason);
  expect(await hub.find(CLUSTERS, { name: "north" })).toBeUndefined();
});
