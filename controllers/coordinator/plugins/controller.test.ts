import { createHash } from "node:crypto";
import {
  applyAll,
  catalogueFile,
  crashAtEveryWrite,
  FileStore,
  find,
  PluginProbe,
  quiet,
  startCoordinatorFixture,
  tracesOf,
  writesWithin,
  type AnyObject,
  type CoordinatorFixture,
  type Running,
  type StartOptions,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { Applier, type KubernetesObject, type Resource } from "../../runtime";
import { CONFIG_MAPS, NAMESPACES, SECRETS } from "../native-resources";
import { JOBS } from "./job";
import { pluginsWith } from "./controller";

const NS = "fleetwright-plugins";
const PACE = { restMs: 1000, blockedMs: 1000, busyMs: 100 };
const ADMIN = "trusted";

let fixture: CoordinatorFixture;
let store: FileStore;
let start: StartOptions;
let running: Running;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ nodes: 1 });
  await applyAll(fixture.direct, await catalogueFile("role.yaml"));
  // An account that may do all, so that a test is about one thing.
  await applyAll(fixture.direct, [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: ADMIN },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name: ADMIN, namespace: fixture.home }],
    },
  ]);
  store = await FileStore.start();
  start = { controllers: "plugins", definitions: [pluginsWith({ pace: PACE, download: store.download })] };
  running = await fixture.start(start);
});
afterAll(async () => {
  store.stop();
  await fixture.close();
});

const probe = (name: string): PluginProbe => new PluginProbe(fixture.direct, name);
const configMap = (
  name: string,
  data: Record<string, string> = { a: "b" },
  namespace?: string,
): AnyObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  data,
});
const inline = (...objects: AnyObject[]): object => ({
  source: { inline: objects },
  serviceAccountName: ADMIN,
});
const data = async (name: string, namespace = NS): Promise<Record<string, string> | undefined> =>
  (await find(fixture.direct, CONFIG_MAPS, { namespace, name }))?.data;
const definition = (plural: string, kind: string): AnyObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.test.example.com` },
  spec: {
    group: "test.example.com",
    scope: "Namespaced",
    names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

const DEPLOYMENTS: Resource = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
const deployment = (name: string): AnyObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    // Written as people do, not as the server keeps it.
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: "pause",
            image: "registry.k8s.io/pause:3.10",
            resources: { requests: { cpu: "0.01", memory: "1024Ki" } },
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          },
        ],
      },
    },
  },
});

test("a namespace, a definition, an object of it and the rest are installed in order, and all of it goes again", async () => {
  const plugin = probe("whole");
  await plugin.create({
    ...inline(
      { apiVersion: "test.example.com/v1", kind: "Whole", metadata: { name: "one", namespace: "whole" } },
      configMap("whole", { text: "Hello ${who}", number: "${count}" }, "whole"),
      definition("wholes", "Whole"),
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "whole" } },
    ),
    values: { who: "you", count: "3" },
  });
  const { status } = await plugin.ready();
  expect(status).toMatchObject({ phase: "Installed", version: "1.0.0", revision: 1, ready: 4, total: 4 });
  expect(await data("whole", "whole")).toEqual({ text: "Hello you", number: "3" });
  await plugin.delete();
  await plugin.gone();
  await waitFor(
    "the namespace to go",
    async () => (await find(fixture.direct, NAMESPACES, { name: "whole" })) === undefined,
  );
  expect(await tracesOf(fixture.direct, "whole")).toEqual([]);
});

test("what somebody changes or deletes is healed, and what others add stays", async () => {
  const plugin = probe("healed");
  await plugin.create(inline(configMap("healed")));
  await plugin.ready();
  await fixture.direct.delete(CONFIG_MAPS, { namespace: NS, name: "healed" });
  await waitFor("it again", () => data("healed"));
  await fixture.direct.patch(
    CONFIG_MAPS,
    { namespace: NS, name: "healed" },
    { data: { a: null, mine: "x" } },
  );
  await waitFor("the field again", async () => (await data("healed"))?.a === "b");
  expect(await data("healed")).toEqual({ a: "b", mine: "x" });
  await plugin.delete();
  await plugin.gone();
});

test("an upgrade prunes what it no longer has, a rollback brings it back, and the history is bounded", async () => {
  const plugin = probe("versions");
  await plugin.create({ ...inline(configMap("kept", { v: "1" }), configMap("dropped")), historyLimit: 2 });
  await plugin.ready();
  const upgrade = async (version: string): Promise<void> => {
    await plugin.patch({ version, source: { inline: [configMap("kept", { v: version })] } });
    await plugin.ready();
  };
  await upgrade("2.0.0");
  expect(await data("kept")).toEqual({ v: "2.0.0" });
  expect(await data("dropped")).toBeUndefined();
  await plugin.patch({ rollbackTo: "1.0.0" });
  const back = await plugin.ready();
  expect(back.status).toMatchObject({ version: "1.0.0", revision: 3, phase: "Installed" });
  expect(await data("kept")).toEqual({ v: "1" });
  expect(await data("dropped")).toEqual({ a: "b" });
  await plugin.patch({ rollbackTo: null });
  expect((await plugin.ready()).status).toMatchObject({ version: "2.0.0", revision: 4 });
  expect(await data("dropped")).toBeUndefined();
  await upgrade("3.0.0");
  const { status } = await plugin.ready();
  expect(status?.history?.map(({ revision, version }) => [revision, version])).toEqual([
    [3, "1.0.0"],
    [4, "2.0.0"],
    [5, "3.0.0"],
  ]);
  await plugin.patch({ rollbackTo: "0.9.0" });
  expect(await plugin.says("Ready", "NotInHistory")).toContain("there is 1.0.0, 2.0.0, 3.0.0");
  expect(await data("kept")).toEqual({ v: "3.0.0" });
  await plugin.delete();
  await plugin.gone();
  expect(await tracesOf(fixture.direct, "versions")).toEqual([]);
});

test("manifests and values come from ConfigMaps and Secrets, and follow them", async () => {
  const text = JSON.stringify(configMap("followed", { text: "${greeting}, ${name}" }));
  await fixture.direct.create(CONFIG_MAPS, {
    metadata: { namespace: NS, name: "manifests" },
    data: { "all.yaml": text },
  });
  await fixture.direct.create(CONFIG_MAPS, {
    metadata: { namespace: NS, name: "values" },
    data: { greeting: "Hi", name: "nobody" },
  });
  await fixture.direct.create(SECRETS, {
    metadata: { namespace: NS, name: "values" },
    data: { name: "QWRh" },
  });
  const plugin = probe("followed");
  await plugin.create({
    source: { configMapRef: { name: "manifests" } },
    valuesFrom: [{ configMapRef: { name: "values" } }, { secretRef: { name: "values" } }],
    serviceAccountName: ADMIN,
  });
  await plugin.ready();
  expect(await data("followed")).toEqual({ text: "Hi, Ada" });
  await fixture.direct.patch(SECRETS, { namespace: NS, name: "values" }, { data: { name: "R3JhY2U=" } });
  await waitFor("the new value", async () => (await data("followed"))?.text === "Hi, Grace");
  await fixture.direct.patch(CONFIG_MAPS, { namespace: NS, name: "values" }, { data: { greeting: null } });
  expect(await plugin.says("Ready", "ValuesInvalid")).toContain("there is no value for greeting");
  expect(await data("followed")).toEqual({ text: "Hi, Grace" });
  await plugin.patch({ values: { greeting: "Ho" } });
  await plugin.ready();
  expect(await data("followed")).toEqual({ text: "Ho, Grace" });
  await plugin.delete();
  await plugin.gone();
});

test("manifests come from the web and from a private registry by their digests", async () => {
  const text = JSON.stringify(configMap("fetched", { from: "the web" }));
  store.files.set("/all.yaml", Buffer.from(text));
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  const plugin = probe("fetched");
  await plugin.create({
    source: { http: { url: `https://${store.host}/all.yaml`, digest } },
    serviceAccountName: ADMIN,
  });
  await plugin.ready();
  expect(await data("fetched")).toEqual({ from: "the web" });
  const auths = { [store.host]: { username: "ada", password: "secret" } };
  await fixture.direct.create(SECRETS, {
    metadata: { namespace: NS, name: "pull" },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") },
  });
  const reference = store.push("private/fetched", Buffer.from(text.replace("the web", "a registry")));
  await plugin.patch({
    version: "2.0.0",
    source: { http: null, oci: { reference, pullSecretRef: { name: "pull" } } },
  });
  await plugin.ready();
  expect(await data("fetched")).toEqual({ from: "a registry" });
  // What was fetched once is in the cluster: the registry may be gone.
  store.clear();
  await fixture.direct.delete(CONFIG_MAPS, { namespace: NS, name: "fetched" });
  await waitFor("it again", () => data("fetched"));
  await plugin.ready();
  expect(store.seen).toEqual([]);
  await plugin.patch({
    version: "3.0.0",
    source: { oci: { reference: reference.replace(/[0-9a-f]{64}$/, "0".repeat(64)) } },
  });
  await plugin.says("Ready", "SourceUnreachable");
  expect(await data("fetched")).toEqual({ from: "a registry" });
  await plugin.delete();
  await plugin.gone();
});

test("jobs run around a version, once, and again only when that is asked for", async () => {
  const plugin = probe("jobs");
  const job = (name: string): object => ({
    name,
    image: "example.com/tools/check:1.0.0",
    serviceAccountName: "default",
  });
  const jobs = async (): Promise<number> =>
    (
      await fixture.direct.request<{ items: unknown[] }>({
        method: "GET",
        path: `/apis/batch/v1/namespaces/${NS}/jobs`,
      })
    ).items.length;
  await plugin.create({
    ...inline(configMap("jobs")),
    jobs: { before: [job("one")], after: [job("two")] },
  });
  const first = await plugin.ready();
  expect(first.status?.jobs?.map(({ name, when, outcome }) => `${when} ${name} ${outcome}`)).toEqual([
    "Before one Succeeded",
    "After two Succeeded",
  ]);
  expect(await jobs()).toBe(2);
  // Neither a Job that somebody tidies away nor another value is a reason to run it again.
  const [namespace = "", name = ""] = first.status?.jobs?.[0]?.job.split("/") ?? [];
  await fixture.direct.delete(JOBS, { namespace, name });
  await plugin.patch({ source: { inline: [configMap("jobs", { a: "c" })] } });
  await plugin.ready();
  await waitFor("the first to go", async () => (await jobs()) === 1);
  await plugin.patch({ jobs: { attempt: 2 } });
  await waitFor("the second attempt", async () =>
    (await plugin.get())?.status?.jobs?.every(
      ({ attempt, outcome }) => attempt === 2 && outcome === "Succeeded",
    ),
  );
  await plugin.delete();
  await plugin.gone();
  await waitFor("the jobs to go", async () => (await jobs()) === 0);
  expect(await tracesOf(fixture.direct, "jobs")).toEqual([]);
});

test("a job that fails before stops the version, says why, and can be tried again or left behind by a rollback", async () => {
  const plugin = probe("failing");
  await plugin.create(inline(configMap("failing", { v: "1" })));
  await plugin.ready();
  // Without its account no pod is made, and the time runs out.
  const check = {
    name: "check",
    image: "example.com/tools/check:1.0.0",
    serviceAccountName: "nobody",
    timeoutSeconds: 1,
  };
  await plugin.patch({
    version: "2.0.0",
    source: { inline: [configMap("failing", { v: "2" })] },
    jobs: { before: [check] },
  });
  expect(await plugin.says("Ready", "JobFailed")).toMatch(
    /check for 2\.0\.0 failed: DeadlineExceeded.*kubectl logs -n fleetwright-plugins job\/failing-check-/,
  );
  expect(await data("failing")).toEqual({ v: "1" });
  const { status } = (await plugin.get()) ?? {};
  expect(status).toMatchObject({ phase: "Failed", version: "1.0.0" });
  expect(status?.history?.map(({ outcome }) => outcome)).toEqual(["Succeeded", "Failed"]);
  await plugin.patch({ rollbackTo: "1.0.0" });
  expect((await plugin.ready()).status?.version).toBe("1.0.0");
  await plugin.patch({
    rollbackTo: null,
    jobs: { before: [{ ...check, serviceAccountName: "default", timeoutSeconds: 60 }], attempt: 2 },
  });
  expect((await plugin.ready()).status?.version).toBe("2.0.0");
  expect(await data("failing")).toEqual({ v: "2" });
  await plugin.delete();
  await plugin.gone();
  expect(await tracesOf(fixture.direct, "failing")).toEqual([]);
});

test("an object of the same name that is not ours is never adopted, and its condition says whose it is", async () => {
  const theirs = await fixture.direct.create(CONFIG_MAPS, {
    metadata: { namespace: NS, name: "taken", labels: { "app.kubernetes.io/managed-by": "Helm" } },
    data: { theirs: "x" },
  });
  const plugin = probe("foreign");
  await plugin.create(inline(configMap("taken"), configMap("free")));
  expect(await plugin.says("Ready", "ForeignObject")).toMatch(
    /^Nothing was changed\. ConfigMap fleetwright-plugins\/taken .* managed by Helm/,
  );
  expect(await data("free")).toBeUndefined();
  const other = probe("second");
  await fixture.direct.delete(CONFIG_MAPS, { namespace: NS, name: "taken" }, { uid: theirs.metadata.uid });
  await plugin.ready();
  await other.create(inline(configMap("taken")));
  expect(await other.says("Ready", "ForeignObject")).toContain("the Plugin foreign installed it");
  await other.delete();
  await other.gone();
  expect(await data("taken")).toEqual({ a: "b" });
  // One that somebody put in the place of ours stays when the plugin goes.
  await fixture.direct.delete(CONFIG_MAPS, { namespace: NS, name: "free" });
  await waitFor("it again", () => data("free"));
  await fixture.direct.patch(
    CONFIG_MAPS,
    { namespace: NS, name: "free" },
    { metadata: { labels: { "fleetwright.dev/plugin": null } } },
  );
  await plugin.says("Ready", "ForeignObject");
  await plugin.delete();
  await plugin.gone();
  expect(await data("free")).toEqual({ a: "b" });
  await fixture.direct.delete(CONFIG_MAPS, { namespace: NS, name: "free" });
});

test("one that somebody makes at the same time is not adopted either, and keeps nothing of ours", async () => {
  const plugin = probe("raced");
  // Between our look and our write.
  running.proxy.plan = ({ method, path, query }) => {
    if (method !== "PATCH" || !path.endsWith("/raced") || query.get("force") !== "false") return undefined;
    running.proxy.plan = undefined;
    void fixture.direct.create(CONFIG_MAPS, configMap("raced", { theirs: "x" }, NS));
    return { kind: "delay", ms: 1000 };
  };
  await plugin.create(inline(configMap("raced")));
  await plugin.says("Applied", "ForeignObject");
  const live = await find(fixture.direct, CONFIG_MAPS, { namespace: NS, name: "raced" });
  expect([live?.data, live?.metadata.labels]).toEqual([{ theirs: "x" }, undefined]);
  await plugin.delete();
  await plugin.gone();
  expect(await data("raced")).toEqual({ theirs: "x" });
});

test("a conflict with another field manager is reported by manager and field, and stops nothing else", async () => {
  const plugin = probe("conflict");
  await plugin.create(inline(configMap("contested"), configMap("peaceful", { v: "1" })));
  await plugin.ready();
  const operator = new Applier(fixture.direct, "their-operator");
  await operator.apply<KubernetesObject>(CONFIG_MAPS, configMap("contested", { a: "theirs" }, NS), {
    force: true,
  });
  await plugin.patch({
    version: "1.1.0",
    source: { inline: [configMap("contested", { a: "ours" }), configMap("peaceful", { v: "2" })] },
  });
  expect(await plugin.says("Ready", "Conflict")).toContain('.data.a is managed by "their-operator"');
  expect(await data("contested")).toEqual({ a: "theirs" });
  expect(await data("peaceful")).toEqual({ v: "2" });
  await operator.apply<KubernetesObject>(CONFIG_MAPS, { metadata: { namespace: NS, name: "contested" } });
  await plugin.ready();
  await plugin.delete();
  await plugin.gone();
});

test("a namespace that is going is waited for, without an error", async () => {
  const name = await fixture.namespace();
  const held = { metadata: { namespace: name, name: "held", finalizers: ["example.com/hold"] } };
  await fixture.direct.create(CONFIG_MAPS, held);
  await fixture.direct.delete(NAMESPACES, { name });
  const plugin = probe("terminating");
  await plugin.create(inline(configMap("late", {}, name), configMap("early")));
  expect(await plugin.says("Ready", "NamespaceTerminating")).toContain(
    `the namespace ${name} is being deleted`,
  );
  expect(await data("early")).toEqual({ a: "b" });
  await fixture.direct.patch(CONFIG_MAPS, held.metadata, { metadata: { finalizers: null } });
  await plugin.says("Ready", "NamespaceMissing");
  await fixture.direct.create(NAMESPACES, { metadata: { name } });
  await plugin.ready();
  await plugin.delete();
  await plugin.gone();
  expect(
    running.lines.filter((line) => line.includes("reconcile failed") && line.includes("terminating")),
  ).toEqual([]);
});

const API_SERVICES: Resource = {
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  plural: "apiservices",
  namespaced: false,
};

test("an aggregated API that is down stops neither other plugins nor the rest of its own", async () => {
  await applyAll(fixture.direct, [
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1.broken.example.com" },
      spec: {
        group: "broken.example.com",
        version: "v1",
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: NS, name: "nobody" },
      },
    },
  ]);
  await waitFor("it to be down", () =>
    fixture.direct.request({ method: "GET", path: "/apis/broken.example.com/v1" }).then(
      () => false,
      (error: unknown) => String(error).includes("503"),
    ),
  );
  const well = probe("beside-broken");
  await well.create(inline(configMap("beside-broken")));
  await well.ready();
  const plugin = probe("broken");
  await plugin.create(
    inline(
      { apiVersion: "broken.example.com/v1", kind: "Thing", metadata: { name: "one" } },
      configMap("unbroken"),
    ),
  );
  expect(await plugin.says("Ready", "ApiUnavailable")).toContain("waits for its API");
  expect(await data("unbroken")).toEqual({ a: "b" });
  await Promise.all([plugin.delete(), well.delete()]);
  await well.gone();
  await waitFor("the rest to go", async () => (await data("unbroken")) === undefined);
  await fixture.direct.delete(API_SERVICES, { name: "v1.broken.example.com" });
  await plugin.gone();
});

test("a definition of which others have objects goes only when that is said", async () => {
  const plugin = probe("defined");
  await plugin.create(inline(definition("things", "Thing")));
  await plugin.ready();
  const THINGS: Resource = {
    group: "test.example.com",
    version: "v1",
    kind: "Thing",
    plural: "things",
    namespaced: true,
  };
  await fixture.direct.create(THINGS, { metadata: { namespace: "default", name: "precious" } });
  await plugin.delete();
  expect(await plugin.says("Ready", "Removing")).toMatch(
    /still has things\.test\.example\.com .* such as default\/precious/,
  );
  expect(await find(fixture.direct, THINGS, { namespace: "default", name: "precious" })).toBeDefined();
  await fixture.direct.patch(
    { group: "fleetwright.dev", version: "v1", kind: "Plugin", plural: "plugins", namespaced: false },
    { name: "defined" },
    { metadata: { annotations: { "fleetwright.dev/allow-data-loss": "true" } } },
  );
  await plugin.gone();
});

test("one that is paused is left as it is, and one that is orphaned leaves all behind", async () => {
  const plugin = probe("paused");
  await plugin.create(inline(configMap("paused")));
  await plugin.ready();
  await plugin.patch({
    paused: true,
    version: "2.0.0",
    source: { inline: [configMap("paused", { a: "c" })] },
  });
  await plugin.says("Ready", "Paused");
  await fixture.direct.delete(CONFIG_MAPS, { namespace: NS, name: "paused" });
  await waitFor("its health", async () => (await plugin.get())?.status?.inventory?.[0]?.health === "Missing");
  expect(await data("paused")).toBeUndefined();
  await plugin.patch({ paused: false, deletionPolicy: "Orphan" });
  await plugin.ready();
  await plugin.delete();
  await plugin.gone();
  expect(await data("paused")).toEqual({ a: "c" });
  const again = probe("paused");
  await again.create(inline(configMap("paused", { a: "d" })));
  await again.ready();
  expect(await data("paused")).toEqual({ a: "d" });
  await again.delete();
  await again.gone();
});

test("all of it goes even if the records were deleted and the coordinator is a new one", async () => {
  const plugin = probe("recordless");
  await plugin.create(inline(configMap("recordless"), definition("recordless", "Recordless")));
  await plugin.ready();
  await quiet(running);
  await running.stop();
  const { items } = await fixture.direct.request<{ items: KubernetesObject[] }>({
    method: "GET",
    path: `/api/v1/namespaces/${fixture.home}/secrets`,
    query: { labelSelector: "fleetwright.dev/plugin-record=recordless" },
  });
  for (const { metadata } of items) await fixture.direct.delete(SECRETS, metadata);
  await plugin.delete();
  running = await fixture.start(start);
  await plugin.gone();
  expect(items).toHaveLength(1);
  expect(await tracesOf(fixture.direct, "recordless")).toEqual([]);
});

test("at rest nothing is written, not even after a new start", async () => {
  const plugin = probe("resting");
  await plugin.create({
    ...inline(configMap("resting"), deployment("resting")),
    jobs: { after: [{ name: "a", image: "b:1", serviceAccountName: "default" }] },
  });
  await plugin.ready();
  await quiet(running, 1500);
  expect(await writesWithin(running, 2500)).toEqual([]);
  const before = await find(fixture.direct, DEPLOYMENTS, { namespace: NS, name: "resting" });
  await running.stop();
  running = await fixture.start(start);
  await quiet(running, 1500);
  // A manifest that is not written as the server keeps it is applied once more, which changes nothing.
  expect(running.writes()).toEqual([`PATCH /apis/apps/v1/namespaces/${NS}/deployments/resting`]);
  const after = await find(fixture.direct, DEPLOYMENTS, { namespace: NS, name: "resting" });
  expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  await plugin.delete();
  await plugin.gone();
  await waitFor("all to go", async () => (await tracesOf(fixture.direct, "resting")).length === 0);
});

test("whenever it dies while it installs, the next one gets there", async () => {
  await running.stop();
  const plugin = probe("crash");
  const deaths = await crashAtEveryWrite(fixture, start, {
    arrange: () => plugin.create(inline(configMap("crash-a"), configMap("crash-b"))),
    converged: async () => {
      await plugin.ready();
    },
    restore: async () => {
      expect((await plugin.get())?.status?.history).toHaveLength(1);
      await plugin.delete();
      await plugin.gone();
      expect(await data("crash-a")).toBeUndefined();
    },
  });
  expect(deaths).toBeGreaterThanOrEqual(6);
  running = await fixture.start(start);
});
