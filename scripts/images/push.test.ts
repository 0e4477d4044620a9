import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { silentProgress } from "../../lib/progress";
import type { Descriptor } from "./oci-layout";
import { pushImages, type PushedImage } from "./push";
import { RegistryClient } from "./registry-client";
import type { RegistryLogin } from "./registry-login";
import { parseTarget } from "./registry-name";
import { parseChallenge } from "./registry-token";
import { GuardedRegistry, type Guard } from "./testing/guarded-registry";
import { writeSmallImages } from "./testing/small-images";

const LOGIN = { username: "robot", password: "hunter2:x" };
let work: string;
let built: Map<string, Descriptor>;
const open: GuardedRegistry[] = [];

beforeAll(async () => {
  work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-push-"));
  built = await writeSmallImages(path.join(work, "out"));
});
afterAll(async () => {
  for (const registry of open) await registry.close();
  await rm(work, { recursive: true });
});

const start = async (guard: Guard): Promise<GuardedRegistry> => {
  const registry = await new GuardedRegistry(path.join(work, `store-${open.length}`), guard).listen();
  open.push(registry);
  return registry;
};
const push = (registry: GuardedRegistry, login?: RegistryLogin, tag?: string): Promise<PushedImage[]> =>
  pushImages(
    { from: path.join(work, "out"), tag, target: parseTarget(`${registry.host}/team/fw`), login },
    silentProgress,
  );

test.each([
  ["nobody", undefined],
  ["basic", LOGIN],
  ["token", LOGIN],
] as const)(
  "images are pushed to a registry that asks by %s, and can be pulled by their digests",
  async (guard, login) => {
    const registry = await start(guard);
    const pushed = await push(registry, login);
    expect(pushed.map(({ program }) => program)).toEqual(["coordinator", "agent"]);
    for (const { program, reference } of pushed) {
      const [, digest = ""] = reference.split("@");
      expect(reference).toBe(`${registry.host}/team/fw/${program}@${digest}`);
      const client = new RegistryClient(parseTarget(registry.host), login);
      const byDigest = await client.readIndex(`team/fw/${program}`, digest);
      expect(byDigest).toEqual([built.get(program)]);
      expect(await client.readIndex(`team/fw/${program}`, "1.2.3")).toEqual(byDigest);
    }
  },
);

test("what is there is not sent again, and what another repository has is mounted", async () => {
  const registry = await start("token");
  const first = await push(registry, LOGIN);
  expect(first.map(({ blobs }) => blobs)).toEqual([
    { uploaded: 5, mounted: 0, there: 0 },
    { uploaded: 3, mounted: 2, there: 0 },
  ]);
  const second = await push(registry, LOGIN, "another");
  expect(second.map(({ blobs }) => blobs)).toEqual([
    { uploaded: 0, mounted: 0, there: 5 },
    { uploaded: 0, mounted: 0, there: 5 },
  ]);
  expect(second.map(({ reference }) => reference)).toEqual(first.map(({ reference }) => reference));
});

test("the bill of materials is found by what it is about", async () => {
  const registry = await start("nobody");
  await push(registry);
  const subject = built.get("agent")?.digest ?? "";
  const answer = await fetch(`${registry.origin}/v2/team/fw/agent/referrers/${subject}`);
  expect(await answer.json()).toMatchObject({ manifests: [{ artifactType: "application/spdx+json" }] });
});

test("the login goes to where tokens are given and nowhere else", async () => {
  const registry = await start("token");
  await push(registry, LOGIN);
  const withLogin = registry.seen.filter(({ authorization }) => authorization?.startsWith("Basic ") === true);
  expect(new Set(withLogin.map(({ url }) => url.split("?")[0]))).toEqual(new Set(["/token"]));
  expect(registry.scopes).toContainEqual([
    "repository:team/fw/agent:pull,push",
    "repository:team/fw/coordinator:pull",
  ]);
});

test.each([
  ["basic", undefined, /wants a login .* FLEETWRIGHT_REGISTRY_USERNAME/],
  ["token", undefined, /gave no token .*: 401\. No login is known/],
  ["token", { username: "robot", password: "wrong" }, /gave no token .*: 401\. The login is wrong/],
] as const)("a registry that asks by %s says no, and the error what to do", async (guard, login, message) => {
  const registry = await start(guard);
  await expect(push(registry, login)).rejects.toThrow(message);
});

test("a layout that was changed is not pushed", async () => {
  const registry = await start("nobody");
  const folder = path.join(work, "changed");
  const written = await writeSmallImages(folder);
  const digest = written.get("coordinator")?.digest.replace("sha256:", "") ?? "";
  await writeFile(path.join(folder, "coordinator", "blobs", "sha256", digest), "{}");
  const target = parseTarget(registry.host);
  await expect(
    pushImages({ from: folder, tag: undefined, target, login: undefined }, silentProgress),
  ).rejects.toThrow(/was changed: build the images again/);
});

test("images that were not built are an error that says how to", async () => {
  const target = parseTarget("registry.example.com");
  const from = path.join(work, "nothing");
  await expect(
    pushImages({ from, tag: undefined, target, login: undefined }, silentProgress),
  ).rejects.toThrow(/npm run images -- build --out/);
});

test("a registry that cannot be reached is named", async () => {
  const registry = await start("nobody");
  const target = parseTarget(registry.host);
  await registry.close();
  open.splice(open.indexOf(registry), 1);
  await expect(
    pushImages({ from: path.join(work, "out"), tag: undefined, target, login: undefined }, silentProgress),
  ).rejects.toThrow(`${target.host} could not be reached`);
});

test("no login is sent without TLS over a network", () => {
  const target = parseTarget("registry.example.com/x", true);
  expect(() => new RegistryClient(target, LOGIN)).toThrow(/without TLS/);
  expect(new RegistryClient(target, undefined).target.origin).toBe("http://registry.example.com");
});

test.each([
  ["registry.example.com/fleetwright", "https://registry.example.com", "fleetwright"],
  ["localhost:5000", "http://localhost:5000", ""],
  ["[::1]:5000/a/b/", "http://[::1]:5000", "a/b"],
  [
    "123456789012.dkr.ecr.eu-central-1.amazonaws.com/x",
    "https://123456789012.dkr.ecr.eu-central-1.amazonaws.com",
    "x",
  ],
])("%s is a registry", (text, origin, path) => {
  expect(parseTarget(text)).toMatchObject({ origin, path });
});

test.each([
  "",
  "https://registry.example.com/x",
  "fleetwright",
  "registry.example.com/X",
  "registry.example.com/x:1",
])("%j is none", (text) => {
  expect(() => parseTarget(text)).toThrow(/use a host and a path/);
});

test("a challenge is read with commas in quotes and without quotes", () => {
  expect(
    parseChallenge('Bearer realm="https://a.test/t?x=1,2",service=s,scope="repository:a:pull,push"'),
  ).toEqual({
    scheme: "bearer",
    parameters: { realm: "https://a.test/t?x=1,2", service: "s", scope: "repository:a:pull,push" },
  });
});
