import { execFile } from "node:child_process";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { load } from "js-yaml";
import {
  applyAll,
  catalogueFile,
  find,
  PluginProbe,
  quiet,
  startCoordinatorFixture,
  tracesOf,
  type AnyObject,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { certifiedKey, daysFromNow } from "../../../sandbox/controlplane/certificate";
import { ensureTools } from "../../../sandbox/toolchain";
import { Metrics, type Resource } from "../../runtime";
import { CONFIG_MAPS, SECRETS } from "../native-resources";
import { CONTROLLERS } from "../controllers";
import { rolesOf } from "../role";
import { serviceAccounts } from "../service-accounts";
import { pluginsWith } from "./controller";

const NS = "fleetwright-plugins";
const HOME = "fleetwright-system";
const COORDINATOR = "fleetwright-coordinator";
const RBAC = "rbac.authorization.k8s.io";
// Jobs run as the account that the part of service accounts makes in every namespace.
const definitions = [serviceAccounts, pluginsWith({ pace: { restMs: 2000, blockedMs: 1000, busyMs: 200 } })];

let fixture: CoordinatorFixture;
let running: Running;
let kubectl: string;

/** Has the coordinator run as its own account with exactly its committed roles, and gives plugins exactly theirs. */
beforeAll(async () => {
  fixture = await startCoordinatorFixture({ nodes: 2 });
  const user = `system:serviceaccount:${HOME}:${COORDINATOR}`;
  const subjects = [{ kind: "User", apiGroup: RBAC, name: user }];
  const roles = rolesOf(CONTROLLERS, HOME);
  const bindings = roles.map(({ apiVersion, kind, metadata: { name, namespace } }) => ({
    apiVersion,
    kind: `${kind}Binding`,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: RBAC, kind, name },
    subjects,
  }));
  await applyAll(fixture.direct, [...roles.map((role) => ({ ...role })), ...bindings]);
  await applyAll(fixture.direct, await catalogueFile("role.yaml"));
  await applyAll(fixture.direct, [
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "prometheus" },
      spec: {
        capacity: { storage: "20Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "standard",
        hostPath: { path: "/simulated" },
      },
    },
  ]);
  kubectl = (await ensureTools(["kubectl"])).kubectl.path;
  running = await fixture.start({
    controllers: "*",
    definitions,
    kubeconfig: await fixture.plane.kubeconfigFor(user),
  });
});
afterAll(() => fixture.close());

const probe = (name: string): PluginProbe => new PluginProbe(fixture.direct, name);
const bundled = async (name: string): Promise<AnyObject & { spec: Spec }> => {
  const [plugin] = await catalogueFile(`${name}.yaml`);
  if (plugin === undefined) throw new Error(`There is no bundled plugin ${name}.`);
  return plugin as AnyObject & { spec: Spec };
};
interface Spec {
  version: string;
  values: Record<string, string>;
  source: { inline: AnyObject[] };
}
const forbidden = (): string[] =>
  running.lines.filter((line) => /[Ff]orbidden|"403|cannot impersonate/.test(line));

test.each([
  ["sample", { place: "elsewhere" }],
  ["prometheus", { retention: "30d" }],
])(
  "with exactly its rights %s is installed, upgraded, rolled back and removed without a trace",
  async (name, values) => {
    const { spec } = await bundled(name);
    const plugin = probe(name);
    await plugin.create(spec);
    const first = await plugin.ready();
    expect(first.status).toMatchObject({ version: spec.version, ready: first.status?.total });
    await plugin.patch({ version: "99.0.0", values });
    expect((await plugin.ready()).status).toMatchObject({ version: "99.0.0", revision: 2 });
    await plugin.patch({ rollbackTo: spec.version });
    expect((await plugin.ready()).status).toMatchObject({ version: spec.version, revision: 3 });
    await quiet(running, 1500);
    await plugin.delete();
    await plugin.gone();
    expect(await tracesOf(fixture.direct, name)).toEqual([]);
    expect(forbidden()).toEqual([]);
  },
  120_000,
);

/** Answers as metrics-server does when it is asked what it serves. */
async function standIn(): Promise<{ port: number; close: () => void }> {
  const { certificate, key } = await certifiedKey({
    subject: { commonName: "localhost" },
    usages: ["serverAuth", "digitalSignature"],
    names: { dns: ["localhost"] },
    notAfter: daysFromNow(1),
  });
  const server = https.createServer({ cert: certificate, key }, (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        kind: "APIResourceList",
        apiVersion: "v1",
        groupVersion: "metrics.k8s.io/v1beta1",
        resources: [],
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("with exactly its rights metrics-server is installed, upgraded, rolled back and removed without a trace", async () => {
  const { spec } = await bundled("metrics-server");
  const plugin = probe("metrics-server");
  await plugin.create(spec);
  // The nodes here are played, so that nobody answers behind the service: all is there, but the API is not available.
  expect(await plugin.says("Ready", "Unhealthy")).toContain("APIService v1beta1.metrics.k8s.io:");
  await plugin.says("Applied", "Applied");
  const answering = await standIn();
  const inline = spec.source.inline.map((object): AnyObject => {
    if (object.kind === "Service")
      return { ...object, spec: { type: "ExternalName", externalName: "localhost" } };
    if (object.kind !== "APIService") return object;
    const service = { name: "metrics-server", namespace: NS, port: answering.port };
    return { ...object, spec: { ...(object.spec as object), service } };
  });
  await plugin.patch({ version: "99.0.0", source: { inline } });
  const { status } = await plugin.ready();
  expect(status).toMatchObject({ version: "99.0.0", ready: status?.total, total: spec.source.inline.length });
  await plugin.patch({ rollbackTo: spec.version });
  await plugin.says("Applied", "Applied");
  expect((await plugin.get())?.status?.version).toBe(spec.version);
  await plugin.delete();
  await plugin.gone();
  answering.close();
  expect(await tracesOf(fixture.direct, "metrics-server")).toEqual([]);
  expect(forbidden()).toEqual([]);
});

const object = (kind: string, name: string, more: object, namespace?: string): AnyObject => ({
  apiVersion: kind.includes("Role") ? `${RBAC}/v1` : "v1",
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  ...more,
});

test("a plugin that wants more is refused before anything is changed, and the commands that it names grant it", async () => {
  const plugin = probe("greedy");
  const namespace = await fixture.namespace();
  const wanted = object("ConfigMap", "greedy", { data: { a: "b" } }, namespace);
  await plugin.create({ source: { inline: [wanted] } });
  const message = await plugin.says("Ready", "Forbidden");
  expect(message).toMatch(
    new RegExp(
      `^Nothing was changed\\. The service account ${HOME}/fleetwright-plugins may not get, create, patch, delete configmaps "greedy" in the namespace ${namespace}\\.`,
    ),
  );
  expect(await find(fixture.direct, CONFIG_MAPS, { namespace, name: "greedy" })).toBeUndefined();
  const commands = /: (kubectl create role .*?)\. Or /.exec(message)?.[1]?.split(" && ") ?? [];
  expect(commands).toHaveLength(2);
  for (const command of commands)
    await promisify(execFile)(kubectl, [
      "--kubeconfig",
      fixture.plane.kubeconfig,
      ...command.split(" ").slice(1),
    ]);
  await plugin.ready();
  await plugin.delete();
  await plugin.gone();
});

const RULES = { rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] }] };
const ADMIN = { apiGroup: RBAC, kind: "ClusterRole", name: "cluster-admin" };
const SUBJECTS = [{ kind: "ServiceAccount", name: "default", namespace: NS }];
const withinBundle = "fleetwright-prometheus";

test.each<[string, object, string, RegExp]>([
  [
    "writes a bundled role with rights of which the account has none",
    { source: { inline: [object("ClusterRole", withinBundle, RULES)] } },
    "Forbidden",
    /not currently held.*secrets/s,
  ],
  [
    "gives a bundled binding the rights of an administrator",
    {
      source: {
        inline: [object("ClusterRoleBinding", withinBundle, { roleRef: ADMIN, subjects: SUBJECTS })],
      },
    },
    "Forbidden",
    /not currently held/,
  ],
  [
    "reads a Secret of somebody else as a value",
    { source: { inline: [] }, valuesFrom: [{ secretRef: { name: "theirs", namespace: "kube-system" } }] },
    "Forbidden",
    /may not read the Secret kube-system\/theirs.*kubectl create role/,
  ],
  [
    "takes its manifests from a Secret of somebody else",
    { source: { secretRef: { name: "theirs", namespace: "kube-system" } } },
    "Forbidden",
    /may not read the Secret kube-system\/theirs/,
  ],
  [
    "runs a job beside the coordinator",
    {
      source: { inline: [] },
      namespace: HOME,
      jobs: { before: [{ name: "a", image: "a:1", serviceAccountName: COORDINATOR }] },
    },
    "Forbidden",
    /may not get, create, delete jobs\.batch in the namespace fleetwright-system/,
  ],
  [
    "acts as the coordinator itself",
    { source: { inline: [object("ConfigMap", "a", {})] }, serviceAccountName: COORDINATOR },
    "AccountNotAllowed",
    /may not act as the service account.*--verb=impersonate/,
  ],
  [
    "acts as another account of the product",
    { source: { inline: [object("ConfigMap", "a", {})] }, serviceAccountName: "fleetwright-agent" },
    "AccountNotAllowed",
    /--resource-name=fleetwright-agent/,
  ],
])("no rights are gained by a plugin that %s", async (_what, spec, reason, says) => {
  await fixture.direct
    .create(SECRETS, { metadata: { namespace: "kube-system", name: "theirs" }, data: { a: "b" } })
    .catch(() => {});
  const plugin = probe("sneaky");
  await plugin.create(spec);
  expect(await plugin.says("Ready", reason)).toMatch(says);
  await plugin.delete();
  await plugin.gone();
});

/** The names of metrics in text that Prometheus reads. */
function metricsIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = "", type = ""] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.add(name);
    if (type === "histogram") for (const suffix of ["bucket", "sum", "count"]) names.add(`${name}_${suffix}`);
  }
  return names;
}

const WORDS = new Set(["sum", "max", "rate", "changes", "histogram_quantile", "vector", "or", "and", "e6"]);

/** The names of metrics in an expression. */
function metricsOf(expression: string): string[] {
  const bare = expression
    .replace(/\{[^}]*\}/g, "")
    .replace(/\[[^\]]*\]/g, "")
    .replace(/\b(?:by|without) \([^)]*\)/g, "");
  return [...bare.matchAll(/[a-zA-Z_:][a-zA-Z0-9_:]*/g)]
    .map(([name]) => name)
    .filter((name) => !WORDS.has(name));
}

interface Dashboard {
  uid: string;
  title: string;
  schemaVersion: number;
  panels: { id: number; type: string; title: string; gridPos: object; targets: { expr: string }[] }[];
}
interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; fix: string };
}

test("every metric of every alert and dashboard is one that is served, and every job one that is scraped", async () => {
  const { spec } = await bundled("prometheus");
  const dataOf = (name: string): Record<string, string> =>
    spec.source.inline.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === name)
      ?.data as Record<string, string>;
  const dashboards = Object.values(dataOf("fleetwright-dashboards")).map(
    (text) => JSON.parse(text) as Dashboard,
  );
  const { groups } = load(dataOf("prometheus-rules")["fleetwright.yaml"] ?? "") as {
    groups: { rules: Alert[] }[];
  };
  const alerts = groups.flatMap(({ rules }) => rules);
  const config = load(dataOf("prometheus")["prometheus.yml"] ?? "") as {
    scrape_configs: { job_name: string }[];
  };
  const served = new Set([
    "up",
    ...metricsIn(await new Metrics().render()),
    ...metricsIn(await fixture.direct.text({ method: "GET", path: "/metrics" })),
  ]);
  const expressions = [
    ...alerts.map(({ expr }) => expr),
    ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))),
  ];
  const named = expressions.flatMap(metricsOf);
  expect(named.length).toBeGreaterThanOrEqual(expressions.length);
  expect(named.filter((name) => !served.has(name))).toEqual([]);
  const jobs = new Set(config.scrape_configs.map(({ job_name: name }) => name));
  const asked = expressions.flatMap((text) =>
    [...text.matchAll(/job="([^"]*)"/g)].map(([, job = ""]) => job),
  );
  expect(asked.filter((job) => !jobs.has(job))).toEqual([]);
  for (const { alert, labels, annotations } of alerts)
    expect([alert, labels.severity, annotations.summary, annotations.fix]).not.toContain(undefined);
  for (const { uid, title, schemaVersion, panels } of dashboards) {
    expect(uid).toMatch(/^[a-z-]{1,40}$/);
    expect([title !== "", schemaVersion >= 36]).toEqual([true, true]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const panel of panels) expect(panel).toMatchObject({ type: "timeseries", gridPos: { w: 12, h: 8 } });
  }
});

const LEFT: readonly Resource[] = [
  { group: RBAC, version: "v1", kind: "ClusterRole", plural: "clusterroles", namespaced: false },
  {
    group: "apiregistration.k8s.io",
    version: "v1",
    kind: "APIService",
    plural: "apiservices",
    namespaced: false,
  },
];

test("nothing of the catalogue is left in the cluster", async () => {
  for (const resource of LEFT) {
    const { items } = await fixture.direct.request<{ items: AnyObject[] }>({
      method: "GET",
      path: `/apis/${resource.group}/v1/${resource.plural}`,
    });
    const ours = items.filter(({ metadata }) =>
      /^fleetwright-(metrics|prometheus)|metrics\.k8s/.test(metadata.name),
    );
    expect(ours).toEqual([]);
  }
});
