import { CONFIG_KEYS } from "./config-keys";
import { parseConfig, type ConfigFile } from "./config";

const file = (text: string, path = "/etc/rancher/rke2/config.yaml"): ConfigFile => ({ path, text });

test.each<[string, ConfigFile[], string[], Record<string, unknown>]>([
  ["an empty file", [file("")], [], {}],
  [
    "scalars and lists",
    [file("token: abc\ntls-san: [a, b]\ndebug: true\netcd-snapshot-retention: 3")],
    [],
    { token: "abc", "tls-san": ["a", "b"], debug: true, "etcd-snapshot-retention": 3 },
  ],
  ["one entry as a list", [file("node-label: a=b")], [], { "node-label": ["a=b"] }],
  ["a token of digits", [file("token: 12345")], [], { token: "12345" }],
  [
    "the last file",
    [file("token: one"), file("token: two", "/etc/rancher/rke2/config.yaml.d/10.yaml")],
    [],
    { token: "two" },
  ],
  [
    "a list that is replaced",
    [file("tls-san: [a]"), file("tls-san: [b]", "10.yaml")],
    [],
    { "tls-san": ["b"] },
  ],
  [
    "a list that is added to",
    [file("tls-san: [a]"), file("tls-san+: [b]", "10.yaml")],
    [],
    { "tls-san": ["a", "b"] },
  ],
  ["flags over files", [file("token: one")], ["--token", "two", "--debug"], { token: "two", debug: true }],
  [
    "flags with =",
    [],
    ["--node-taint=a=b:NoSchedule", "--node-taint=c:NoExecute"],
    { "node-taint": ["a=b:NoSchedule", "c:NoExecute"] },
  ],
  ["a key without a value", [file("token:\nserver: https://a:9345")], [], { server: "https://a:9345" }],
])("reads %s", (_, files, argv, expected) => {
  expect(parseConfig("server", files, argv)).toEqual(expected);
});

test.each<[string, "server" | "agent", string, string[], string]>([
  [
    "an unknown key",
    "server",
    "tokn: x",
    [],
    "Unknown flag --tokn found in config.yaml, skipping is not done",
  ],
  ["a key of servers on an agent", "agent", "cluster-cidr: 10.0.0.0/8", [], "Unknown flag --cluster-cidr"],
  ["an unknown flag", "server", "", ["--tokn=x"], "flag provided but not defined: -tokn"],
  ["a flag without its value", "server", "", ["--token"], "flag needs an argument: -token"],
  ["a word that is no flag", "server", "", ["token"], "unexpected argument: token"],
  [
    "a number that is none",
    "server",
    "etcd-snapshot-retention: many",
    [],
    "etcd-snapshot-retention must be a number",
  ],
  ["a flag that is none", "server", "debug: maybe", [], "debug must be true or false"],
  ["a list for a text", "server", "token: [a]", [], "token must be a text"],
  ["text that is no YAML", "server", "token: [", [], "is not YAML"],
  ["a list as the whole file", "server", "- a", [], "expected keys with values"],
])("refuses %s", (_, role, text, argv, message) => {
  expect(() => parseConfig(role, [file(text)], argv)).toThrow(message);
});

test("tells all problems at once", () => {
  expect(() => parseConfig("server", [file("one: 1\ntwo: 2")], ["--three=3"])).toThrow(
    /--one[^]*--two[^]*-three/,
  );
});

test("every key that is ignored says why", () => {
  const reasons = Object.values(CONFIG_KEYS).flatMap(({ ignored }) => ignored ?? []);
  expect(reasons.length).toBeGreaterThan(20);
  for (const reason of reasons) expect(reason).toMatch(/^[a-z].{10,}[^.]$/);
});
