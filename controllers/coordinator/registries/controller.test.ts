import {
  crashAtEveryWrite,
  quiet,
  startCoordinatorFixture,
  writesWithin,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { Informer } from "../../runtime";
import { REGISTRIES, type RegistryObject } from "../kinds";
import { NAMESPACES, SECRETS, SERVICE_ACCOUNTS, type Secret } from "../native-resources";
import type { CoordinatorController } from "../controller-context";
import { serviceAccounts } from "../service-accounts";
import { CredentialError, type Login } from "./credential";
import { loginWith } from "./login";
import { registriesWith } from "./controller";

let fixture: CoordinatorFixture;
let running: Running;
const plain = loginWith({ env: {}, now: () => Date.now() });
/** Tokens of a provider that hands out short-lived ones; other providers as they are. */
const tokens = { lifetimeMs: 12 * 3_600_000, count: 0, failing: false };
const login: Login = async (spec, data, signal) => {
  if (spec.provider !== "ecr") return plain(spec, data, signal);
  if (tokens.failing)
    throw new CredentialError("Unreachable", "ECR in eu-west-1 could not be reached: no route.");
  tokens.count += 1;
  return { username: "AWS", password: `token-${tokens.count}`, expiresAt: Date.now() + tokens.lifetimeMs };
};
const definitions: CoordinatorController[] = [serviceAccounts, registriesWith(login)];
const options = { controllers: "*", definitions };

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false } });
  await source("login", { username: "ada", password: "first" });
  running = await fixture.start(options);
});
afterAll(() => fixture.close());

const encode = (data: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
const source = (name: string, data: Record<string, string>): Promise<Secret> =>
  fixture.direct.create(SECRETS, { metadata: { namespace: fixture.home, name }, data: encode(data) });
async function declare(name: string, spec: object): Promise<void> {
  await fixture.direct.request({
    method: "POST",
    path: "/apis/fleetwright.dev/v1/registries",
    body: { apiVersion: "fleetwright.dev/v1", kind: "Registry", metadata: { name }, spec },
  });
}
const basic = { provider: "basic", endpoint: "registry.example.com", credentials: { name: "login" } };
const ecr = { provider: "ecr", endpoint: "123456789012.dkr.ecr.eu-west-1.amazonaws.com" };
const find = (namespace: string, registry: string): Promise<Secret | undefined> =>
  fixture.direct.get(SECRETS, { namespace, name: `fleetwright-registry-${registry}` }).catch(() => undefined);
const passwordIn = (secret: Secret | undefined): string | undefined => {
  const text = Buffer.from(secret?.data?.[".dockerconfigjson"] ?? "", "base64").toString();
  return /"password":"([^"]*)"/.exec(text)?.[1];
};
const has = (namespace: string, registry: string, password: string): Promise<unknown> =>
  waitFor(
    `${password} in ${namespace}`,
    async () => passwordIn(await find(namespace, registry)) === password,
  );
const entries = async (namespace: string, account = "fleetwright"): Promise<(string | undefined)[]> =>
  (
    (await fixture.direct.get(SERVICE_ACCOUNTS, { namespace, name: account }).catch(() => undefined))
      ?.imagePullSecrets ?? []
  ).map(({ name }) => name);
const get = (name: string): Promise<RegistryObject> => fixture.direct.get(REGISTRIES, { name });
const says = (name: string, type: string, reason: string): Promise<unknown> =>
  waitFor(`${name} to say ${reason}`, async () =>
    (await get(name)).status?.conditions?.some((one) => one.type === type && one.reason === reason),
  );
async function remove(name: string): Promise<void> {
  await fixture.direct.delete(REGISTRIES, { name });
  await waitFor(`${name} to go`, () =>
    get(name).then(
      () => false,
      () => true,
    ),
  );
}

test("a pull secret is in every namespace and on the service account; a new namespace has it too", async () => {
  const name = await fixture.namespace();
  await declare("main", basic);
  await has(name, "main", "first");
  await has("default", "main", "first");
  await says("main", "Ready", "InPlace");
  await waitFor("the entry", async () => (await entries(name)).includes("fleetwright-registry-main"));
  const status = (await get("main")).status;
  expect(status?.namespaces?.ready).toBe(status?.namespaces?.total);
  const later = await fixture.namespace();
  // How soon is what `npm run bench -- registries` says.
  await waitFor("the entry in a new one", async () =>
    (await entries(later)).includes("fleetwright-registry-main"),
  );
});

test("other entries stay, and only the service accounts that are selected get ours", async () => {
  const name = await fixture.namespace();
  await waitFor("the account", async () => (await entries(name)).length === 1);
  await fixture.direct.patch(
    SERVICE_ACCOUNTS,
    { namespace: name, name: "fleetwright" },
    { imagePullSecrets: [{ name: "theirs" }] },
  );
  await waitFor("both", async () => (await entries(name)).length === 2);
  expect(await entries(name)).toEqual(["theirs", "fleetwright-registry-main"]);
  await waitFor("the default account", () =>
    fixture.direct.get(SERVICE_ACCOUNTS, { namespace: name, name: "default" }).catch(() => undefined),
  );
  expect(await entries(name, "default")).toEqual([]);
  await fixture.direct.patch(REGISTRIES, { name: "main" }, { spec: { serviceAccounts: ["default"] } });
  await waitFor("the other account", async () => (await entries(name, "default")).length === 1);
  await waitFor("the first to lose it", async () => (await entries(name)).join() === "theirs");
  await fixture.direct.patch(REGISTRIES, { name: "main" }, { spec: { serviceAccounts: ["fleetwright"] } });
  await waitFor("the default to lose it", async () => (await entries(name, "default")).length === 0);
});

test("a changed password reaches every namespace; drift and deletion are healed", async () => {
  const name = await fixture.namespace();
  await has(name, "main", "first");
  await fixture.direct.patch(
    SECRETS,
    { namespace: fixture.home, name: "login" },
    { data: encode({ password: "second" }) },
  );
  await has(name, "main", "second");
  await fixture.direct.patch(
    SECRETS,
    { namespace: name, name: "fleetwright-registry-main" },
    { data: { ".dockerconfigjson": Buffer.from("{}").toString("base64") } },
  );
  await has(name, "main", "second");
  await fixture.direct.delete(SECRETS, { namespace: name, name: "fleetwright-registry-main" });
  await has(name, "main", "second");
});

test("a namespace can do without, before and after", async () => {
  const without = await fixture.namespace({ "fleetwright.dev/registries": "disabled" });
  const later = await fixture.namespace();
  await has(later, "main", "second");
  await fixture.direct.patch(
    NAMESPACES,
    { name: later },
    { metadata: { labels: { "fleetwright.dev/registries": "disabled" } } },
  );
  await waitFor("it to go", async () => (await find(later, "main")) === undefined);
  expect(await find(without, "main")).toBeUndefined();
  await waitFor("its entry to go", async () => (await entries(later)).length === 0);
});

test("a Secret that somebody else made is left alone and told of", async () => {
  const name = await fixture.namespace({ "fleetwright.dev/registries": "disabled" });
  const theirs = await fixture.direct.create(SECRETS, {
    metadata: { namespace: name, name: "fleetwright-registry-main" },
    data: encode({ mine: "x" }),
  });
  await fixture.direct.patch(
    NAMESPACES,
    { name },
    { metadata: { labels: { "fleetwright.dev/registries": null } } },
  );
  await says("main", "Ready", "ForeignObject");
  expect((await get("main")).status?.conditions?.find(({ type }) => type === "Ready")?.message).toContain(
    name,
  );
  expect((await find(name, "main"))?.metadata.resourceVersion).toBe(theirs.metadata.resourceVersion);
  expect(await entries(name)).toEqual([]);
  await fixture.direct.delete(SECRETS, theirs.metadata);
  await fixture.direct.patch(NAMESPACES, { name }, { metadata: { labels: { again: "1" } } });
  await has(name, "main", "second");
  await says("main", "Ready", "InPlace");
});

test("a namespace that is going away is left alone, without errors", async () => {
  const name = await fixture.namespace();
  await has(name, "main", "second");
  await fixture.direct.patch(NAMESPACES, { name }, { metadata: { finalizers: ["fleetwright.dev/test"] } });
  await fixture.direct.delete(NAMESPACES, { name });
  await waitFor("its secret to go", async () => (await find(name, "main")) === undefined);
  await quiet(running);
  expect(running.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  await says("main", "Ready", "InPlace");
  await fixture.direct.patch(NAMESPACES, { name }, { metadata: { finalizers: null } });
});

test("credentials that are missing are reported, with the fix, and come into force when they are there", async () => {
  await declare("early", { ...basic, credentials: { name: "not-yet" } });
  await says("early", "Ready", "SecretMissing");
  await source("not-yet", { username: "bob", wrong: "x" });
  await says("early", "Ready", "KeyMissing");
  await fixture.direct.patch(
    SECRETS,
    { namespace: fixture.home, name: "not-yet" },
    { data: encode({ password: "now" }) },
  );
  await has("default", "early", "now");
  await fixture.direct.delete(SECRETS, { namespace: fixture.home, name: "not-yet" });
  await says("early", "Credentials", "SecretMissing");
  expect(passwordIn(await find("default", "early"))).toBe("now");
  await remove("early");
  expect(await find("default", "early")).toBeUndefined();
});

test("a token is renewed ahead of time and in place; while that fails the old one stays and status says so", async () => {
  const name = await fixture.namespace();
  tokens.lifetimeMs = 4500;
  const seen: (string | undefined)[] = [];
  const end = new AbortController();
  const observer = new Informer(fixture.direct, SECRETS, { namespace: name });
  observer.onChange(({ key, after }) => {
    if (key.endsWith("-tokens")) seen.push(passwordIn(after));
  });
  const observing = observer.run(end.signal);
  const before = tokens.count;
  await declare("tokens", ecr);
  await waitFor(
    "the third token",
    async () => passwordIn(await find(name, "tokens")) === `token-${before + 3}`,
    20_000,
  );
  tokens.failing = true;
  await says("tokens", "Credentials", "Unreachable");
  const held = passwordIn(await find(name, "tokens"));
  expect(held).toBeDefined();
  await says("tokens", "Ready", "Expired");
  expect(passwordIn(await find(name, "tokens"))).toBe(held);
  expect((await get("tokens")).status?.expiresAt).toBeDefined();
  tokens.failing = false;
  tokens.lifetimeMs = 12 * 3_600_000;
  await says("tokens", "Ready", "InPlace");
  // It was there all the time, and each token came after the one before.
  expect(seen).not.toContain(undefined);
  expect(seen).toEqual([...new Set(seen)]);
  expect(JSON.stringify(running.lines)).not.toMatch(/token-[0-9]/);
  end.abort();
  await observing;
});

test("a new leader keeps the token of the one before", async () => {
  const before = tokens.count;
  await running.stop();
  running = await fixture.start(options);
  await quiet(running, 2000);
  expect(tokens.count).toBe(before);
  expect(running.writes()).toEqual([]);
  await fixture.direct.patch(
    SECRETS,
    { namespace: fixture.home, name: "fleetwright-registry-tokens" },
    { data: { ".dockerconfigjson": Buffer.from('{"auths":{}}').toString("base64") } },
  );
  await waitFor(
    "a token that is not theirs",
    async () => passwordIn(await find("default", "tokens")) === `token-${before + 1}`,
  );
});

test("a Registry takes its secrets and entries along, also where one is missing already", async () => {
  const [one, two] = [await fixture.namespace(), await fixture.namespace()];
  await has(one, "main", "second");
  await has(two, "main", "second");
  await running.stop();
  await fixture.direct.delete(SECRETS, { namespace: one, name: "fleetwright-registry-main" });
  await fixture.direct.delete(REGISTRIES, { name: "main" });
  running = await fixture.start(options);
  await waitFor("it to go", () =>
    get("main").then(
      () => false,
      () => true,
    ),
  );
  for (const name of [one, two, "default", fixture.home]) {
    expect(await find(name, "main")).toBeUndefined();
    expect(await entries(name)).not.toContain("fleetwright-registry-main");
  }
  expect(await find("default", "tokens")).toBeDefined();
  await remove("tokens");
});

test("when every Registry is lost, nothing is deleted", async () => {
  await declare("lost", basic);
  await has("default", "lost", "second");
  await says("lost", "Ready", "InPlace");
  await running.stop();
  await fixture.direct.patch(REGISTRIES, { name: "lost" }, { metadata: { finalizers: null } });
  await fixture.direct.delete(REGISTRIES, { name: "lost" });
  running = await fixture.start(options);
  await quiet(running, 2000);
  expect(await find("default", "lost")).toBeDefined();
  await declare("lost", basic);
  await says("lost", "Ready", "InPlace");
});

test("at rest nothing is written", async () => {
  await quiet(running);
  expect(await writesWithin(running, 3000)).toEqual([]);
});

test("somebody who keeps changing the same account and secret loses nothing of his own", async () => {
  const name = await fixture.namespace();
  await waitFor("the entry", async () => (await entries(name)).length === 1);
  for (let count = 0; count < 20; count++) {
    await fixture.direct.patch(
      SERVICE_ACCOUNTS,
      { namespace: name, name: "fleetwright" },
      { imagePullSecrets: [{ name: `theirs-${count}` }], metadata: { labels: { count: String(count) } } },
    );
    await fixture.direct
      .patch(
        SECRETS,
        { namespace: name, name: "fleetwright-registry-lost" },
        { metadata: { labels: { count: String(count) } } },
      )
      .catch(() => {});
  }
  await waitFor("both", async () => (await entries(name)).length === 2);
  expect(await entries(name)).toEqual(["theirs-19", "fleetwright-registry-lost"]);
  expect((await find(name, "lost"))?.metadata.labels?.count).toBe("19");
});

test("whenever it dies, the next one gets there", async () => {
  await remove("lost");
  await running.stop();
  const { items } = await fixture.direct.request<{ items: { metadata: { name: string } }[] }>({
    method: "GET",
    path: "/api/v1/namespaces",
  });
  for (const { metadata } of items.filter(({ metadata: { name } }) => name.startsWith("ns-")))
    await fixture.direct.delete(NAMESPACES, metadata);
  const deaths = await crashAtEveryWrite(fixture, options, {
    arrange: () => declare("crash", basic),
    converged: async () => {
      await says("crash", "Ready", "InPlace");
      for (const name of ["default", "kube-system", fixture.home])
        await waitFor(`the entry in ${name}`, async () =>
          (await entries(name)).includes("fleetwright-registry-crash"),
        );
    },
    restore: () => remove("crash"),
  });
  expect(deaths).toBeGreaterThanOrEqual(10);
  running = await fixture.start(options);
}, 300_000);
