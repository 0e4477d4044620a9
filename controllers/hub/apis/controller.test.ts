// A hub and two clusters, all real API servers: kinds are imported, negotiated, served, and taken away again.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { crdOf, HUB_KIND_NAMES } from "../../../api";
import { startControlPlane, type ControlPlane } from "../../../sandbox/controlplane";
import { ensureTools } from "../../../sandbox/toolchain";
import { waitFor } from "../../../test/harness/fault-proxy";
import { NAMESPACES } from "../../coordinator/native-resources";
import {
  ApiClient,
  isNotFound,
  kubeconfigCredentials,
  Manager,
  silentLogger,
  type KubernetesObject,
  type Resource,
} from "../../runtime";
import type { Schema } from "../../negotiation";
import { CLUSTERS, type ClusterObject } from "../kinds";
import { apis } from "./controller";
import {
  DEFINITIONS,
  IMPORTS,
  NEGOTIATED,
  SCHEMAS,
  type Definition,
  type ImportObject,
  type NegotiatedObject,
} from "./kinds";

interface Widget extends KubernetesObject {
  spec: Record<string, unknown>;
}

const WIDGETS: Resource<Widget> = {
  group: "example.dev",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: false,
};
const SECRETS: Resource = { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true };
const NAME = "widgets.v1.example.dev";
const components = { controllerManager: false, scheduler: false };

let planes: ControlPlane[];
let [hub, east, west]: ApiClient[] = [];
let manager: Manager;
let end: AbortController;
let run: Promise<void>;

beforeAll(async () => {
  planes = await Promise.all([1, 2, 3].map(() => startControlPlane({ components, timeoutMs: 120_000 })));
  [hub, east, west] = planes.map(
    ({ kubeconfig }) => new ApiClient(kubeconfigCredentials(kubeconfig), { rateLimit: false }),
  );
  for (const name of HUB_KIND_NAMES) await onHub().create(DEFINITIONS, crdOf(name) as never);
  await waitFor("the hub's kinds", async () =>
    (
      await Promise.all(
        HUB_KIND_NAMES.map((name) => onHub().get(DEFINITIONS, { name: crdOf(name).metadata.name })),
      )
    ).every(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === "Established" && is === "True"),
    ),
  );
  await onHub().create(NAMESPACES, { metadata: { name: "fleetwright-system" } });
  await inEast().create(
    DEFINITIONS,
    widgets({
      color: { type: "string", enum: ["red", "blue"] },
      size: { type: "integer", maximum: 5 },
      east: { type: "string" },
    }),
  );
  await inWest().create(
    DEFINITIONS,
    widgets({ color: { type: "string", enum: ["blue", "green"] }, size: { type: "integer" } }),
  );
  for (const member of [inEast(), inWest()])
    await member.create(DEFINITIONS, widgets({ same: { type: "string" } }, "Gadget"));
  await start();
  for (const [index, name] of ["east", "west"].entries()) await register(name, planes[index + 1]);
}, 240_000);

afterAll(async () => {
  await stop();
  for (const client of [hub, east, west]) client?.close();
  await Promise.all(planes.map((plane) => plane.stop()));
}, 120_000);

const given = (client: ApiClient | undefined): ApiClient => {
  if (client === undefined) throw new Error("The API server has not been started.");
  return client;
};
const onHub = (): ApiClient => given(hub);
const inEast = (): ApiClient => given(east);
const inWest = (): ApiClient => given(west);

async function start(): Promise<void> {
  const credentials = kubeconfigCredentials(planes[0]?.kubeconfig ?? "");
  manager = new Manager({
    credentials,
    log: silentLogger,
    client: { rateLimit: false },
    serve: { port: 0, host: "127.0.0.1" },
  });
  apis.start({ manager, client: manager.client, concurrency: 4, pullEveryMs: 300 });
  end = new AbortController();
  run = manager.run(end.signal);
  await Promise.resolve();
}

async function stop(): Promise<void> {
  end.abort();
  await run;
}

async function register(name: string, plane: ControlPlane | undefined): Promise<void> {
  const { readFile } = await import("node:fs/promises");
  const kubeconfig = Buffer.from(await readFile(plane?.kubeconfig ?? "", "utf8")).toString("base64");
  const secret = {
    metadata: { name: `cluster-${name}`, namespace: "fleetwright-system" },
    data: { kubeconfig },
  };
  await onHub().create(SECRETS, secret);
  const spec = {
    connection: { mode: "push", secretRef: { name: `cluster-${name}` } },
    accepted: true,
    imports: ["*", "deployments.apps"],
  };
  await onHub().create(CLUSTERS, { metadata: { name }, spec } as unknown as ClusterObject);
}

function widgets(properties: Record<string, Schema>, kind = "Widget"): Definition {
  const plural = `${kind.toLowerCase()}s`;
  return {
    metadata: { name: `${plural}.example.dev` },
    spec: {
      group: "example.dev",
      scope: "Cluster",
      names: { plural, kind, listKind: `${kind}List`, singular: kind.toLowerCase() },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
          },
        },
      ],
    },
  };
}

const negotiated = (name = NAME): Promise<NegotiatedObject> => onHub().get(NEGOTIATED, { name });
const imported = (cluster: string, name = NAME): Promise<ImportObject> =>
  onHub().get(IMPORTS, { name: `${cluster}.${name}` });
const missing = async (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => false,
    (error: unknown) => isNotFound(error),
  );
const reasonOf = ({ status }: NegotiatedObject | ImportObject, type: string): string | undefined =>
  status?.conditions?.find((one) => one.type === type)?.reason;
const says = (
  what: string,
  asked: () => Promise<NegotiatedObject | ImportObject>,
  type: string,
  reason: string,
) =>
  waitFor(`${what} to say ${type} ${reason}`, async () => reasonOf(await asked(), type) === reason, 20_000);

test("what clusters have is imported, negotiated and explained, with a document that is refused", async () => {
  await waitFor(
    "both clusters",
    async () => (await negotiated().catch(() => undefined))?.status?.total === 2,
    30_000,
  );
  const { status } = await negotiated();
  expect(status).toMatchObject({ kind: "Widget", scope: "Cluster", compatible: 2, total: 2, narrowed: 3 });
  await says("the import of east", () => imported("east"), "Compatible", "Narrows");
  const seen = await imported("east");
  expect(seen.status?.differences).toContainEqual(
    expect.objectContaining({
      path: "spec.east",
      rule: "properties",
      effect: "Dropped",
      refused: `{"spec":{"east":"a"}}`,
    }),
  );
});

test("schemas that clusters share are stored once", async () => {
  await waitFor(
    "gadgets",
    async () => (await negotiated("gadgets.v1.example.dev").catch(() => undefined))?.status?.total === 2,
    20_000,
  );
  const [a, b] = await Promise.all(["east", "west"].map((name) => imported(name, "gadgets.v1.example.dev")));
  expect(a?.spec.schemaHash).toBe(b?.spec.schemaHash);
  const stored = await onHub().get(SCHEMAS, { name: a?.spec.schemaHash ?? "" });
  expect(stored.spec.size).toBeGreaterThan(10);
});

test("a kind of the server itself is negotiated object by object", async () => {
  const name = "deployments.v1.apps";
  await waitFor(
    "deployments",
    async () => (await negotiated(name).catch(() => undefined))?.status?.total === 2,
    20_000,
  );
  expect((await negotiated(name)).spec.strategy).toBe("PerObject");
  expect((await imported("east", name)).spec).toMatchObject({
    source: "OpenAPI",
    scope: "Namespaced",
    subresources: { status: true, scale: { specReplicasPath: ".spec.replicas" } },
  });
});

test("kubectl shows what was negotiated", async () => {
  const { kubectl } = await ensureTools(["kubectl"]);
  const { stdout } = await promisify(execFile)(kubectl.path, [
    "--kubeconfig",
    planes[0]?.kubeconfig ?? "",
    "get",
    "negotiatedapiresources",
  ]);
  const row = stdout
    .split("\n")
    .find((line) => line.startsWith(NAME))
    ?.split(/\s{2,}/);
  expect(
    stdout
      .split("\n")[0]
      ?.split(/\s{2,}/)
      .slice(0, 7),
  ).toEqual(["NAME", "KIND", "STRATEGY", "CLUSTERS", "COMPATIBLE", "NARROWED", "PUBLISHED"]);
  expect(row?.slice(0, 7)).toEqual([NAME, "Widget", "Intersect", "2", "2", "3", "False"]);
});

test("published, the hub takes what every cluster takes, and refuses the rest", async () => {
  await onHub().patch(NEGOTIATED, { name: NAME }, { spec: { publish: true } });
  await says("it", negotiated, "Published", "Published");
  await waitFor(
    "widgets to be served",
    async () => !(await missing(onHub().request({ method: "GET", path: "/apis/example.dev/v1/widgets" }))),
    20_000,
  );
  await onHub().create(WIDGETS, { metadata: { name: "good" }, spec: { color: "blue", size: 5 } });
  for (const spec of [{ color: "red" }, { size: 6 }, { color: "green" }])
    await expect(onHub().create(WIDGETS, { metadata: { name: "bad" }, spec })).rejects.toThrow(/spec/);
  await says("the import", () => imported("west"), "Available", "Served");
});

/** How many writes the controllers have asked the hub for, by their metrics. */
async function writes(): Promise<number> {
  const lines = (await manager.metrics.render()).split("\n");
  const asked = lines.filter((line) =>
    /^rest_client_requests_total\{[^}]*verb="(POST|PUT|PATCH|DELETE)"/.test(line),
  );
  return asked.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

test("at rest nothing is written", async () => {
  const versions = async (): Promise<unknown[]> => {
    const found = await Promise.all([
      negotiated(),
      imported("east"),
      imported("west"),
      onHub().get(DEFINITIONS, { name: "widgets.example.dev" }),
    ]);
    return found.map(({ metadata }) => metadata.resourceVersion);
  };
  const overTwoSeconds = async (): Promise<[before: unknown, after: unknown]> => {
    const before = [await versions(), await writes()];
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return [before, [await versions(), await writes()]];
  };
  // What was published just now is still being written about.
  await waitFor(
    "rest",
    async () => {
      const [before, after] = await overTwoSeconds();
      return JSON.stringify(before) === JSON.stringify(after);
    },
    60_000,
  );
  const [before, after] = await overTwoSeconds();
  expect(after).toEqual(before);
  expect(await writes()).toBeGreaterThan(0);
});

test("a cluster that would break what is stored falls out, and says which objects stand against it", async () => {
  await inWest().patch(
    DEFINITIONS,
    { name: "widgets.example.dev" },
    { spec: widgets({ color: { type: "string", enum: ["red", "green"] } }).spec },
  );
  await says("the import", () => imported("west"), "Compatible", "StoredObjects");
  const { status } = await imported("west");
  expect(status?.conditions?.find(({ type }) => type === "Compatible")?.message).toContain(
    "good (spec.color: enum)",
  );
  expect((await negotiated()).status?.clusters).toEqual([
    expect.objectContaining({ name: "east", compatible: true }),
    expect.objectContaining({ name: "west", compatible: false, reason: "StoredObjects" }),
  ]);
  // What is stored stays valid.
  await onHub().patch(WIDGETS, { name: "good" }, { metadata: { labels: { a: "b" } } });
});

test("a kind that a cluster no longer serves is un-imported, and its schema no longer counts", async () => {
  await inWest().delete(DEFINITIONS, { name: "widgets.example.dev" });
  await waitFor("the import to go", () => missing(imported("west")), 20_000);
  await waitFor("one cluster", async () => (await negotiated()).status?.total === 1, 20_000);
});

test("with the last cluster a kind goes, but not while objects of it are stored", async () => {
  await inEast().delete(DEFINITIONS, { name: "gadgets.example.dev" });
  await inWest().delete(DEFINITIONS, { name: "gadgets.example.dev" });
  await waitFor("gadgets to go", () => missing(negotiated("gadgets.v1.example.dev")), 20_000);
  await inEast().delete(DEFINITIONS, { name: "widgets.example.dev" });
  await says("it", negotiated, "Agreed", "NoCluster");
  expect((await onHub().get(WIDGETS, { name: "good" })).spec).toEqual({ color: "blue", size: 5 });
});

test("a definition that a person made holds, and clusters are compared with it", async () => {
  await onHub().create(DEFINITIONS, widgets({ a: { type: "string", maxLength: 9 } }, "Sprocket"));
  await inEast().create(DEFINITIONS, widgets({ a: { type: "string" }, b: { type: "string" } }, "Sprocket"));
  await inWest().create(DEFINITIONS, widgets({ a: { type: "string", maxLength: 3 } }, "Sprocket"));
  const name = "sprockets.v1.example.dev";
  await waitFor(
    "both",
    async () => (await negotiated(name).catch(() => undefined))?.status?.total === 2,
    30_000,
  );
  expect(reasonOf(await negotiated(name), "Enforced")).toBe("MadeByHand");
  await says("east", () => imported("east", name), "Compatible", "Compatible");
  await says("west", () => imported("west", name), "Compatible", "Incompatible");
});

test("a schema that cannot be stored costs its own kind, which says so, and no other of the cluster", async () => {
  // Random letters: they do not become smaller when they are compressed.
  const words = Array.from({ length: 11_000 }, () => randomBytes(75).toString("base64"));
  await inEast().create(DEFINITIONS, widgets({ a: { type: "string", enum: words } }, "Behemoth"));
  await inEast().create(DEFINITIONS, widgets({ a: { type: "string" } }, "Mouse"));
  await waitFor(
    "the other kind",
    async () => !(await missing(imported("east", "mouses.v1.example.dev"))),
    30_000,
  );
  const name = "behemoths.v1.example.dev";
  await waitFor("its import", async () => !(await missing(imported("east", name))), 30_000);
  await says("it", () => imported("east", name), "Compatible", "SchemaTooLarge");
  expect((await negotiated(name)).status).toMatchObject({ compatible: 0, total: 1 });
  await inEast().delete(DEFINITIONS, { name: "behemoths.example.dev" });
  await waitFor("the import to go", () => missing(imported("east", name)), 20_000);
});

test("what a cluster has counts only while it is accepted", async () => {
  const name = "sprockets.v1.example.dev";
  await onHub().patch(CLUSTERS, { name: "west" }, { spec: { accepted: false } });
  await waitFor("the imports to go", () => missing(imported("west", name)), 20_000);
  await waitFor("one cluster", async () => (await negotiated(name)).status?.total === 1, 20_000);
  await onHub().patch(CLUSTERS, { name: "west" }, { spec: { accepted: true } });
  await waitFor("both", async () => (await negotiated(name)).status?.total === 2, 20_000);
});
