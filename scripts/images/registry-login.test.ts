import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { loginFor } from "./registry-login";

const work = mkdtempSync(path.join(os.tmpdir(), "fleetwright-login-"));
afterAll(() => rmSync(work, { recursive: true }));

let count = 0;
const settings = (value: unknown): string => {
  count += 1;
  const folder = path.join(work, String(count));
  mkdirSync(folder);
  writeFileSync(path.join(folder, "config.json"), typeof value === "string" ? value : JSON.stringify(value));
  return folder;
};
const encoded = (text: string): string => Buffer.from(text).toString("base64");
const bin = path.join(work, "bin");
mkdirSync(bin);
writeFileSync(
  path.join(bin, "docker-credential-test"),
  `#!/bin/sh
read -r host
case "$host" in
  known.test) echo '{"Username":"kept","Secret":"s3cret"}' ;;
  token.test) echo '{"Username":"<token>","Secret":"refresh"}' ;;
  broken.test) echo 'the keychain is locked'; exit 1 ;;
  *) echo 'credentials not found in native keychain'; exit 1 ;;
esac
`,
  { mode: 0o755 },
);
const PATH = `${bin}:${process.env.PATH ?? ""}`;

test.each([
  [
    "auths",
    { auths: { "a.test": { auth: encoded("me:pass:word") } } },
    "a.test",
    { username: "me", password: "pass:word" },
  ],
  [
    "an address in auths",
    { auths: { "https://a.test": { auth: encoded("me:x") } } },
    "a.test",
    { username: "me", password: "x" },
  ],
  ["a store", { credsStore: "test" }, "known.test", { username: "kept", password: "s3cret" }],
  [
    "a helper for one host",
    { credHelpers: { "token.test": "test" } },
    "token.test",
    { username: "", password: "refresh", isIdentityToken: true },
  ],
  [
    "an identity token",
    { auths: { "a.test": { auth: "", identitytoken: "t" } } },
    "a.test",
    { username: "", password: "t", isIdentityToken: true },
  ],
  ["a store that does not know it", { credsStore: "test" }, "other.test", undefined],
  ["another host's", { auths: { "b.test": { auth: encoded("me:x") } } }, "a.test", undefined],
])("the login of a container engine is found by %s", async (_, value, host, login) => {
  expect(await loginFor(host, { PATH, DOCKER_CONFIG: settings(value) })).toEqual(login);
});

test("the environment goes first, and needs both", async () => {
  const DOCKER_CONFIG = settings({ auths: { "a.test": { auth: encoded("me:x") } } });
  const given = { DOCKER_CONFIG, FLEETWRIGHT_REGISTRY_USERNAME: "u" };
  expect(await loginFor("a.test", { ...given, FLEETWRIGHT_REGISTRY_PASSWORD: "p" })).toEqual({
    username: "u",
    password: "p",
  });
  await expect(loginFor("a.test", given)).rejects.toThrow(/Only one of FLEETWRIGHT_REGISTRY_USERNAME/);
});

test.each([
  ["no JSON", "{", "a.test", /is no JSON/],
  ["no account", { auths: { "a.test": { auth: encoded("me") } } }, "a.test", /no base64 of user:password/],
  ["a store that fails", { credsStore: "test" }, "broken.test", /the keychain is locked/],
  [
    "a store that is not installed",
    { credsStore: "none" },
    "a.test",
    /docker-credential-none.*could not be run/,
  ],
])("settings with %s are an error", async (_, value, host, message) => {
  await expect(loginFor(host, { PATH, DOCKER_CONFIG: settings(value) })).rejects.toThrow(message);
});

test("ECR gives a login to whom AWS knows", async () => {
  const seen: { target: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer((incoming, outgoing) => {
    const target = incoming.headers["x-amz-target"];
    seen.push({ target: String(target), authorization: incoming.headers.authorization });
    outgoing.end(
      JSON.stringify({
        authorizationData: [{ authorizationToken: encoded("AWS:today"), expiresAt: 4_000_000_000 }],
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const before = { ...process.env };
  try {
    // AWS's library reads the environment of the process.
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "example" });
    const login = await loginFor("123456789012.dkr.ecr.eu-west-1.amazonaws.com", {
      DOCKER_CONFIG: settings({}),
      AWS_ENDPOINT_URL_ECR: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    });
    expect(login).toEqual({ username: "AWS", password: "today" });
  } finally {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    await new Promise((resolve) => server.close(resolve));
  }
  expect(seen).toEqual([
    {
      target: "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken",
      authorization: expect.stringMatching(
        /Credential=AKIDEXAMPLE\/[0-9]{8}\/eu-west-1\/ecr\/aws4_request/,
      ) as string,
    },
  ]);
});
