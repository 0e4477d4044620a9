import { splitPair } from "./agent";
import { cisProblems, parseSysctl } from "./kernel";
import { hashPassword, matchesHash } from "./node-password";
import { podRoutes } from "./pod-network";
import { hostsToml, parseRegistries } from "./registries";
import { callerOf } from "./supervisor";

const passwords = { server: "for-servers", agent: "for-agents" };
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

test.each([
  ["server:for-servers", "server"],
  ["node:for-agents", "node"],
  ["node:for-servers", "node"],
  ["server:for-agents", "nobody"],
  ["server:", "nobody"],
  [":for-servers", "nobody"],
])("the supervisor takes %s for %s", (credentials, caller) => {
  expect(callerOf(basic(credentials), passwords)).toBe(caller);
  expect(callerOf(undefined, passwords)).toBe("nobody");
});

test("a node's password is known again, and another is not", () => {
  const hash = hashPassword("secret");
  expect(hash).toMatch(/^\$1:[0-9a-f]{16}:15:8:1:/);
  expect(matchesHash("secret", hash)).toBe(true);
  expect(matchesHash("other", hash)).toBe(false);
});

test("routes lead to the pods of every other node that has some", () => {
  const node = (name: string, podCIDR: string | undefined, ip: string | undefined): unknown => ({
    metadata: { name },
    spec: podCIDR === undefined ? {} : { podCIDR },
    status: {
      addresses: [
        { type: "Hostname", address: name },
        ...(ip === undefined ? [] : [{ type: "InternalIP", address: ip }]),
      ],
    },
  });
  const nodes = [
    node("a", "10.42.0.0/24", "10.0.1.10"),
    node("b", "10.42.1.0/24", "10.0.2.10"),
    node("c", undefined, "10.0.3.10"),
    node("d", "10.42.3.0/24", undefined),
  ];
  expect(podRoutes(nodes, "a")).toEqual({
    own: "10.42.0.0/24",
    routes: [{ cidr: "10.42.1.0/24", via: "10.0.2.10" }],
  });
  expect(podRoutes(nodes, "c").own).toBeUndefined();
});

test("sysctl files are read with comments, spaces and slashes", () => {
  expect(parseSysctl("# a\n; b\nvm.panic_on_oom = 0\n-kernel/panic=10\nrubbish\n")).toEqual({
    "vm.panic_on_oom": "0",
    "kernel.panic": "10",
  });
});

test("the CIS profile wants the user and every kernel setting", () => {
  const settings = {
    "vm.overcommit_memory": "1",
    "vm.panic_on_oom": "0",
    "kernel.panic": "10",
    "kernel.panic_on_oops": "1",
  };
  expect(cisProblems({ users: ["root", "etcd"], settings })).toEqual([]);
  expect(cisProblems({ users: ["root"], settings: { ...settings, "kernel.panic": "0" } })).toEqual([
    "missing required user: unknown user etcd",
    "invalid kernel parameter value kernel.panic=0 - expected 10",
  ]);
});

test("registries become containerd's own files", () => {
  const [mirror] = parseRegistries(
    "registries.yaml",
    "mirrors:\n  docker.io:\n    endpoint: [https://mirror.example]\n",
  );
  expect(mirror).toEqual({ registry: "docker.io", endpoints: ["https://mirror.example"] });
  expect(hostsToml({ registry: "docker.io", endpoints: ["https://mirror.example"] })).toBe(
    'server = "https://docker.io"\n\n[host."https://mirror.example"]\n  capabilities = ["pull", "resolve"]\n',
  );
});

test.each([
  ["mirror: {}", 'unknown key "mirror"'],
  ["mirrors: {a: {endpoints: []}}", 'mirrors."a": unknown key "endpoints"'],
  ["mirrors: {a: {endpoint: [nowhere]}}", "nowhere is no URL"],
  ["configs: {a: {auth: {user: x}}}", 'configs."a".auth: unknown key "user"'],
  ["configs: {a: {tls: {ca: x}}}", 'configs."a".tls: unknown key "ca"'],
  ["mirrors: [", "is not YAML"],
])("refuses registries.yaml with %s", (text, message) => {
  expect(() => parseRegistries("registries.yaml", text)).toThrow(message);
});

test("a certificate and its key are taken apart", () => {
  const [certificate, key] = ["-----BEGIN CERTIFICATE-----\na\n", "-----BEGIN PRIVATE KEY-----\nb\n"];
  expect(splitPair(certificate + key)).toEqual({ certificate, key });
  expect(() => splitPair(certificate)).toThrow("without its key");
});
