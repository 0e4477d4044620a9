// The API server is the validator that counts: everything here is said by a real one.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { load } from "js-yaml";
import { anyKind, API_VERSION, HUB_KIND_NAMES, KIND_NAMES, KINDS } from ".";
import type { HubKindName, KindName } from ".";
import { startControlPlane, type ControlPlane } from "../sandbox/controlplane";
import { ApiClient, type ApiResponse } from "../sandbox/controlplane/api";
import { waitFor } from "../lib/deadline";
import { at, listAt, parseJson, textAt } from "../lib/json";
import { ensureTools } from "../sandbox/toolchain";
import { repeatable, testSeed } from "../test/harness/seed";
import { CASES, changed, validSpecs } from "./testing/cases";
import * as keys from "./testing/cases/ssh-keys";

const { ed25519, ecdsa256, ecdsa384, ecdsa521, rsa3072, rsa4096, rsaKey, tokenKeys } = keys;
/** The kinds of clusters and hubs alike: a server has either set, and this one both. */
type AnyName = KindName | HubKindName;
const NAMES: readonly AnyName[] = [...KIND_NAMES, ...HUB_KIND_NAMES];
/** Where objects of namespaced kinds are. */
const NAMESPACE = "cluster-east";

const { rsa1024, rsa2048, rsa3070, dsa1024 } = keys;

/** Another seed gives other random objects; a failure shows the object itself, and the seed. */
const SEED = testSeed(20261116);

const run = promisify(execFile);
let plane: ControlPlane;
let api: ApiClient;
let kubectl: (...words: string[]) => Promise<string>;

beforeAll(async () => {
  const [tools, started] = await Promise.all([
    ensureTools(["kubectl"]),
    startControlPlane({ components: { controllerManager: false, scheduler: false } }),
  ]);
  plane = started;
  api = new ApiClient({
    endpoint: plane.endpoint,
    authority: await readFile(plane.caCertificate, "utf8"),
    client: await plane.credentialsFor("tester", ["fleetwright:cluster-admins"]),
  });
  kubectl = async (...words) =>
    (await run(tools.kubectl.path, ["--kubeconfig", plane.kubeconfig, ...words])).stdout;
  const definitions = ["crds", "hub/crds"].flatMap((folder) => ["-f", path.join(__dirname, folder)]);
  await kubectl("apply", "--server-side", ...definitions);
  await kubectl("create", "namespace", NAMESPACE);
  await waitFor("the kinds to be served", async () => (await unserved()) ?? true, { timeoutMs: 30_000 });
});

afterAll(async () => {
  api.close();
  await plane.stop();
});

test.each(NAMES)("the CRD of %s is established, structural and within the cost budget", async (name) => {
  const crd = await api.get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crdName(name)}`);
  const conditions = listAt(crd, "status", "conditions").map(
    (condition) => `${textAt(condition, "type")}=${textAt(condition, "status")}`,
  );
  expect(conditions.sort()).toEqual(["Established=True", "NamesAccepted=True"]);
});

describe.each(NAMES)("%s", (name) => {
  const { base, malformed } = CASES[name];

  test.each(validSpecs(CASES[name]))("accepts %s, and fills in what TypeScript fills in", async (_, spec) => {
    const answer = await send("POST", name, object(name, spec), "dryRun=All");
    expect([answer.status, answer.status === 201 ? "" : answer.body]).toEqual([201, ""]);
    const verdict = anyKind(name).validate(object(name, spec));
    expect(at(parseJson(answer.body), "spec")).toEqual(verdict.ok ? verdict.object.spec : verdict.problems);
  });

  test.each(malformed.map((row) => [`${row.at}: ${row.it}`, row] as const))("refuses %s", async (_, row) => {
    const answer = await send("POST", name, changed(object(name, base), row.set), "dryRun=All");
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    const message = textAt(parseJson(answer.body), "message") ?? "";
    expect(message).toContain(row.at);
    expect(message).toContain(row.says);
    expect(message).not.toMatch(/evaluation error|no such (key|overload)/);
  });
});

test.each(NAMES)("both validators agree on 200 random changes of %s", (name) =>
  repeatable(SEED, __filename, async () => {
    const random = randomFrom(SEED + name.length * 7919);
    const specs = validSpecs(CASES[name]);
    const changes = Array.from({ length: 200 }, (_, index) =>
      mutated(object(name, specs[index % specs.length]?.[1]), random),
    );
    const answers = await Promise.all(
      changes.map(async (change) => send("POST", name, change, "dryRun=All")),
    );
    const disagreements = changes.flatMap((change, index) => {
      const verdict = anyKind(name).validate(change);
      const { status = 0, body = "" } = answers[index] ?? {};
      if (verdict.ok === (status === 201)) return [];
      return [{ change: JSON.stringify(change), server: body.slice(0, 600), ours: verdict }];
    });
    expect(disagreements).toEqual([]);
    const refused = answers.filter(({ status }) => status !== 201).length;
    expect(refused).toBeGreaterThan(50);
    expect(refused).toBeLessThan(200);
  }),
);

test.each(NAMES)("the example on the page of %s is accepted as it stands there", async (name) => {
  const page = await readFile(path.join(__dirname, "../docs/reference", `${name.toLowerCase()}.md`), "utf8");
  const example: unknown = load(/```yaml\n([^]*?)```/.exec(page)?.[1] ?? "");
  const answer = await send("POST", name, example, "dryRun=All");
  expect([answer.status, answer.status === 201 ? "" : answer.body]).toEqual([201, ""]);
});

test("a refusal by kubectl names the kind, the field, the value and the fix", async () => {
  const user = object("User", { name: "root" });
  const refused = run("sh", [
    "-c",
    `printf %s "$2" | "$0" --kubeconfig "$1" apply -f -`,
    ...(await shellWords(user)),
  ]);
  await expect(refused).rejects.toThrow(
    'The User "subject" is invalid: spec.name: Invalid value: "root": this login name is reserved',
  );
});

describe("SSH keys", () => {
  const whole = [
    ed25519,
    ecdsa256,
    ecdsa384,
    ecdsa521,
    rsa3072,
    rsa4096,
    rsaKey(3073),
    rsaKey(16384),
    ...tokenKeys,
  ];
  const refused = [rsa1024, rsa2048, rsa3070, dsa1024, rsaKey(3071), rsaKey(3072, [35])];

  test("whole ones of every algorithm are accepted, weak ones are not", async () => {
    expect(await verdicts(whole)).toEqual({ server: whole.map(() => true), ours: whole.map(() => true) });
    expect(await verdicts(refused)).toEqual({
      server: refused.map(() => false),
      ours: refused.map(() => false),
    });
  });

  test("the two validators agree on 960 damaged ones", () =>
    repeatable(SEED, __filename, async () => {
      const random = randomFrom(SEED);
      let accepted = 0;
      for (let round = 0; round < 30; round++) {
        const lines = Array.from({ length: 32 }, () =>
          damaged(whole[Math.floor(random() * whole.length)] ?? "", random),
        );
        const { server, ours } = await verdicts(lines);
        lines.forEach((line, index) => expect([line, ours[index]]).toEqual([line, server[index]]));
        accepted += ours.filter(Boolean).length;
      }
      // A changed character inside a key gives another key; a validator that refused everything would learn nothing here.
      expect(accepted).toBeGreaterThan(50);
      expect(accepted).toBeLessThan(800);
    }));

  async function verdicts(lines: readonly string[]): Promise<{ server: boolean[]; ours: boolean[] }> {
    const user = object("User", { name: "jane", sshKeys: lines.map((key) => ({ key })) });
    const answer = parseJson((await send("POST", "User", user, "dryRun=All")).body);
    const refusals = listAt(answer, "details", "causes").map((cause) => textAt(cause, "field"));
    const verdict = KINDS.User.validate(user);
    const problems = verdict.ok ? [] : verdict.problems.map((problem) => problem.path);
    const firstField = (fields: readonly (string | undefined)[]) =>
      lines.map((_, index) => !fields.includes(`spec.sshKeys[${index}].key`));
    return { server: firstField(refusals), ours: firstField(problems) };
  }
});

describe("what cannot be changed", () => {
  test("a login name", async () => {
    await create("User", "renamed", { name: "jane" });
    const answer = await merge("User", "renamed", { spec: { name: "joan" } });
    expect([answer.status, textAt(parseJson(answer.body), "message")]).toEqual([
      422,
      expect.stringContaining("spec.name: Invalid value"),
    ]);
    expect(answer.body).toContain("make a new User");
    expect(KINDS.User.validateChange(specOf("joan"), specOf("jane"))).toEqual([
      { path: "spec.name", message: expect.stringContaining("make a new User") as unknown },
    ]);
    expect(KINDS.User.validateChange(specOf("jane"), specOf("jane"))).toEqual([]);
  });

  test("an upgrade's version, and an abort", async () => {
    await create("ClusterUpgrade", "fixed", { version: "v1.35.4+rke2r1" });
    expect((await merge("ClusterUpgrade", "fixed", { spec: { version: "v1.35.5+rke2r1" } })).body).toContain(
      "abort this one and make a new ClusterUpgrade",
    );
    expect((await merge("ClusterUpgrade", "fixed", { spec: { aborted: true } })).status).toBe(200);
    expect((await merge("ClusterUpgrade", "fixed", { spec: { aborted: false } })).body).toContain(
      "an aborted upgrade cannot be taken up again",
    );
  });
});

describe("server-side apply by two managers", () => {
  const pair = [ed25519, ecdsa256];

  test("merges keys and teams, and takes away only one's own", async () => {
    await apply("User", "shared", "one", { name: "shared", sshKeys: [{ key: pair[0] }], teams: ["a"] });
    await apply("User", "shared", "two", { name: "shared", sshKeys: [{ key: pair[1] }], teams: ["b"] });
    const both = await read("User", "shared");
    expect(listAt(both, "spec", "sshKeys").map((entry) => textAt(entry, "key"))).toEqual(pair);
    expect(at(both, "spec", "teams")).toEqual(["a", "b"]);
    await apply("User", "shared", "two", { name: "shared" });
    const rest = await read("User", "shared");
    expect(at(rest, "spec", "sshKeys")).toEqual([{ key: pair[0] }]);
    expect(at(rest, "spec", "teams")).toEqual(["a"]);
  });

  test("merges conditions of an upgrade in status; its nodes belong to one manager", async () => {
    await create("ClusterUpgrade", "shared", { version: "v1.35.4+rke2r1" });
    const status = (type: string) => ({
      conditions: [
        { type, status: "True", reason: "Test", message: "", lastTransitionTime: "2030-01-01T00:00:00Z" },
      ],
    });
    const nodes = [{ name: "node-1", phase: "Upgrading", secondsInWork: 60, secondsInPhase: 1 }];
    await apply("ClusterUpgrade", "shared", "one", undefined, { ...status("Ready"), nodes });
    await apply("ClusterUpgrade", "shared", "two", undefined, status("Progressing"));
    const both = await read("ClusterUpgrade", "shared");
    expect(at(both, "status", "nodes")).toEqual(nodes);
    expect(listAt(both, "status", "conditions").map((one) => textAt(one, "type"))).toEqual([
      "Ready",
      "Progressing",
    ]);
    expect(KINDS.ClusterUpgrade.validate(both)).toMatchObject({ ok: true });
  });
});

test.each(NAMES)(
  "the status of %s cannot be written through the object, nor the spec through status",
  async (name) => {
    const status = { observedGeneration: 7 };
    const made = await send("POST", name, { ...object(name, CASES[name].base, "status"), status });
    expect([made.status, at(parseJson(made.body), "status")]).toEqual([201, undefined]);
    await merge(name, "status", { status });
    expect(at(await read(name, "status"), "status")).toBeUndefined();
    const written = await merge(name, "status/status", { status, spec: { surprise: true } });
    expect([written.status, at(parseJson(written.body), "status")]).toEqual([200, status]);
    expect(at(await read(name, "status"), "spec", "surprise")).toBeUndefined();
  },
);

test("kubectl shows useful columns under the short name, and everything of the category", async () => {
  const condition = {
    type: "Ready",
    status: "True",
    reason: "A",
    message: "",
    lastTransitionTime: "2030-01-01T00:00:00Z",
  };
  await create("User", "columns", { name: "columns", sudo: true });
  await merge("User", "columns/status", {
    status: { keys: 2, conditions: [condition] },
  });
  const [head, row] = (await kubectl("get", "fwuser", "columns"))
    .split("\n")
    .map((line) => line.split(/\s{2,}/));
  expect(head?.slice(0, 5)).toEqual(["NAME", "LOGIN", "SUDO", "KEYS", "READY"]);
  expect(row?.slice(0, 5)).toEqual(["columns", "columns", "true", "2", "True"]);
  const everything = await kubectl("get", "fleetwright", "--all-namespaces", "--output", "name");
  expect(everything).toContain("user.fleetwright.dev/columns");
  for (const name of NAMES)
    expect(everything).toContain(`${name.toLowerCase()}.fleetwright.dev/${nameOf(name, "status")}`);
});

test.each(NAMES)("kubectl explains %s, and shows a column for each that is declared", async (name) => {
  const [explained, head] = await Promise.all([
    kubectl("explain", `${anyKind(name).plural}.fleetwright.dev`),
    kubectl("get", `${anyKind(name).plural}.fleetwright.dev`, "--all-namespaces", "--output", "wide").then(
      (text) => text.split("\n")[0],
    ),
  ]);
  expect(explained.replaceAll(/\s+/g, " ")).toContain(anyKind(name).summary);
  for (const column of anyKind(name).columns) expect(head).toContain(column.name.toUpperCase());
});

test.each([
  ["crds", KIND_NAMES],
  ["hub/crds", HUB_KIND_NAMES],
])("there is one CRD in %s for each kind that belongs there", async (folder, names: readonly AnyName[]) => {
  expect((await readdir(path.join(__dirname, folder))).sort()).toEqual(
    names.map((name) => `${crdName(name)}.yaml`).sort(),
  );
});

/** A line with one thing changed, somewhere. */
function damaged(line: string, random: () => number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/= -"';
  // Half of the changes hit the first hundred characters, where lengths and names are.
  const position = Math.floor(random() * (random() < 0.5 ? Math.min(100, line.length) : line.length));
  const letter = alphabet[Math.floor(random() * alphabet.length)] ?? "";
  const [before, after] = [line.slice(0, position), line.slice(position)];
  const changes = [
    before + letter + after.slice(1),
    before + after.slice(1),
    before + letter + after,
    before,
  ];
  return changes[Math.floor(random() * changes.length)] ?? line;
}

const oddities: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1,
    1.5,
    1e6,
    2 ** 53,
    "",
    " ",
    "a",
    "a b",
    "A",
    "0",
    "\u0000",
    "é",
    "🙂",
    "a".repeat(400),
  ],
  ...[
    "v1.2.3",
    "__proto__",
    "constructor",
    [],
    ["a"],
    {},
    { a: "b" },
    [[]],
    [null],
    [{}],
    { constructor: "x" },
  ],
];

/** The object with one thing in its spec replaced, removed, added or doubled. */
function mutated(subject: object, random: () => number): object {
  const copy = structuredClone(subject);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const places = placesBelow(at(copy, "spec"));
  const [parent, key] = pick(places) ?? [copy, "spec"];
  const odd: unknown = structuredClone(pick(oddities));
  const action = random();
  if (action < 0.6) Reflect.set(parent, key, odd);
  else if (action < 0.75) Reflect.deleteProperty(parent, key);
  else if (Array.isArray(parent)) parent.push(structuredClone(parent[0]));
  else
    Reflect.set(
      parent,
      pick(["surprise", "name", "values", "namespace", "description", "paused"]) ?? "",
      odd,
    );
  return Array.isArray(parent) ? (JSON.parse(JSON.stringify(copy)) as object) : copy;
}

/** Every place below a value, as the object that holds it and its key there. */
function placesBelow(value: unknown): [object, string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): [object, string][] => [
    [value, key],
    ...placesBelow(inner),
  ]);
}

/** Numbers from 0 to 1 that are the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function crdName(name: AnyName): string {
  return `${anyKind(name).plural}.fleetwright.dev`;
}

function object(kind: AnyName, spec: unknown, name = "subject"): object {
  return { apiVersion: API_VERSION, kind, metadata: { name: nameOf(kind, name) }, spec };
}

function specOf(name: string) {
  return { name, sshKeys: [], sudo: false, teams: [] };
}

function pathOf(kind: AnyName, name = ""): string {
  const namespace = anyKind(kind).scope === "Namespaced" ? `namespaces/${NAMESPACE}/` : "";
  const [stem = "", ...subresource] = name.split("/");
  const words = stem === "" ? [] : [nameOf(kind, stem), ...subresource];
  return [`/apis/${API_VERSION}/${namespace}${anyKind(kind).plural}`, ...words].join("/");
}

/** The name, or for kinds that are named in a way of their own one that stands for it. */
function nameOf(kind: AnyName, stem: string): string {
  return CASES[kind].names?.(stem) ?? stem;
}

async function send(method: string, kind: AnyName, body: unknown, query = ""): Promise<ApiResponse> {
  return api.send(method, `${pathOf(kind)}?fieldValidation=Strict&${query}`, body);
}

async function create(kind: AnyName, name: string, spec: unknown): Promise<unknown> {
  return api.create(pathOf(kind), object(kind, spec, name));
}

async function read(kind: AnyName, name: string): Promise<unknown> {
  return api.get(pathOf(kind, name));
}

async function merge(kind: AnyName, name: string, patch: unknown): Promise<ApiResponse> {
  return api.send("PATCH", pathOf(kind, name), patch, "application/merge-patch+json");
}

async function apply(
  kind: AnyName,
  name: string,
  manager: string,
  spec?: unknown,
  status?: unknown,
): Promise<void> {
  const target = status === undefined ? pathOf(kind, name) : `${pathOf(kind, name)}/status`;
  const body = {
    apiVersion: API_VERSION,
    kind,
    metadata: { name: nameOf(kind, name) },
    ...(status === undefined ? { spec } : { status }),
  };
  const answer = await api.send(
    "PATCH",
    `${target}?fieldManager=${manager}`,
    body,
    "application/apply-patch+yaml",
  );
  expect([answer.status, answer.status < 300 ? "" : answer.body]).toEqual([
    answer.status < 300 ? answer.status : 200,
    "",
  ]);
}

async function shellWords(manifest: object): Promise<string[]> {
  const { kubectl: tool } = await ensureTools(["kubectl"]);
  return [tool.path, plane.kubeconfig, JSON.stringify(manifest)];
}

/** A sentence about the kinds that are not served yet; undefined if all are. */
async function unserved(): Promise<string | undefined> {
  const answers = await Promise.all(NAMES.map(async (name) => api.send("GET", pathOf(name))));
  const missing = NAMES.filter((_, index) => answers[index]?.status !== 200);
  return missing.length === 0 ? undefined : `${missing.join(", ")} cannot be listed`;
}
