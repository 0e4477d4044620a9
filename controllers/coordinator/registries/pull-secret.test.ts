import type { RegistryObject } from "../kinds";
import { copyFor, heldBy, originalSecret, pullEntries, pullSecretName, renewalTime } from "./pull-secret";

const registry = (spec: Partial<RegistryObject["spec"]>): RegistryObject => ({
  metadata: { name: "r" },
  spec: {
    provider: "basic",
    endpoint: "registry.example.com",
    serviceAccounts: [],
    namespaceSelector: {},
    ...spec,
  },
});
const config = (secret: { data?: Record<string, string> }): unknown =>
  JSON.parse(Buffer.from(secret.data?.[".dockerconfigjson"] ?? "", "base64").toString());
const place = { home: "home", source: "s", now: Date.UTC(2026, 0, 1) };

test("a pull secret has the form that kubelets read", () => {
  const secret = originalSecret(registry({}), { username: "ada", password: "pa:ss" }, place);
  expect(secret.type).toBe("kubernetes.io/dockerconfigjson");
  expect(config(secret)).toEqual({
    auths: {
      "registry.example.com": {
        username: "ada",
        password: "pa:ss",
        auth: Buffer.from("ada:pa:ss").toString("base64"),
      },
    },
  });
});

test("Docker's own registry goes by the name under which kubelets look for it", () => {
  const secret = originalSecret(
    registry({ provider: "dockerhub", endpoint: "docker.io" }),
    { username: "a", password: "b" },
    place,
  );
  expect(config(secret)).toHaveProperty(["auths", "https://index.docker.io/v1/", "username"], "a");
});

test("what stands on an original can be read again, and a token that was exchanged is seen", () => {
  const expiresAt = place.now + 12 * 3_600_000;
  const secret = originalSecret(registry({}), { username: "AWS", password: "t", expiresAt }, place);
  const held = heldBy(secret);
  expect(held).toEqual({ source: "s", obtainedAt: place.now, expiresAt, intact: true });
  expect(heldBy({ ...secret, data: { ".dockerconfigjson": "AAAA" } })?.intact).toBe(false);
  expect(held === undefined ? undefined : renewalTime(held)).toBe(place.now + 8 * 3_600_000);
  expect(heldBy({ ...secret, metadata: { ...secret.metadata, annotations: {} } })).toBeUndefined();
});

test("a password has no time to be renewed at, and no hash of it is shown", () => {
  const secret = originalSecret(registry({}), { username: "a", password: "b" }, place);
  const held = heldBy(secret);
  expect(held?.expiresAt).toBeUndefined();
  expect(held === undefined ? 0 : renewalTime(held)).toBeUndefined();
  expect(secret.metadata.annotations?.["fleetwright.dev/digest"]).toBe("none");
});

test("a copy tells for which Registry it is, and no more", () => {
  const secret = originalSecret(registry({}), { username: "a", password: "b" }, place);
  expect(copyFor("x", secret).metadata).toMatchObject({
    namespace: "x",
    annotations: { "fleetwright.dev/registry": "r" },
  });
});

const mine = pullSecretName("r");
test.each([
  ["nothing", [], [], undefined],
  ["ours is missing", [{ name: "theirs" }], [mine], [{ name: "theirs" }, { name: mine }]],
  ["ours is there", [{ name: mine }, { name: "theirs" }], [mine], undefined],
  ["ours is no longer wanted", [{ name: mine }, { name: "theirs" }, {}], [], [{ name: "theirs" }, {}]],
  ["one goes, one comes", [{ name: mine }], [pullSecretName("s")], [{ name: pullSecretName("s") }]],
])("entries of a service account: %s", (_what, imagePullSecrets, wanted, expected) => {
  expect(pullEntries({ metadata: { name: "a" }, imagePullSecrets }, wanted)).toEqual(expected);
});

test("a long name stays a name, and its own", () => {
  const long = (end: string): string => pullSecretName(`${"a".repeat(250)}${end}`);
  expect(long("b")).toHaveLength(253);
  expect(long("b")).not.toBe(long("c"));
});
