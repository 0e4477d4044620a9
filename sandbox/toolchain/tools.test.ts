import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import semver from "semver";
import packageJson from "../../package.json";
import { GO_FOLDER, moduleFolder } from "./cache";
import { type Tool, TOOL_NAMES, TOOL_SETS, TOOLS } from "./tools";

const goMod = (folder: string): string => readFileSync(path.resolve(GO_FOLDER, folder, "go.mod"), "utf8");
const HUB = moduleFolder(TOOLS["hub-apiserver"]);
const goSum = (folder: string): string => readFileSync(path.join(GO_FOLDER, folder, "go.sum"), "utf8");

describe.each(TOOL_NAMES)("%s", (name) => {
  const tool: Tool = TOOLS[name];

  test("has an exact version that its own range accepts", () => {
    expect(semver.valid(tool.version)).toBe(tool.version);
    expect(semver.satisfies(tool.version, tool.suits)).toBe(true);
  });

  test("is built from a Go module with committed sums", () => {
    expect(existsSync(path.join(moduleFolder(tool), "go.sum"))).toBe(true);
  });

  test("is downloaded over TLS, at its version, against a full digest, if at all", () => {
    for (const { url, digest } of Object.values(tool.download)) {
      expect(new URL(url).protocol).toBe("https:");
      expect(url).toContain(tool.version);
      expect(digest.hex).toMatch(digest.algorithm === "sha256" ? /^[0-9a-f]{64}$/ : /^[0-9a-f]{128}$/);
    }
  });
});

test("every command's set names only tools of the table", () => {
  for (const set of Object.values(TOOL_SETS)) expect(TOOL_NAMES).toEqual(expect.arrayContaining([...set]));
});

test.each([
  ["etcd", "go.etcd.io/etcd/server/v3", TOOLS.etcd.version],
  ["etcd", "go.etcd.io/etcd/etcdctl/v3", TOOLS.etcdctl.version],
  ["etcd", "go.etcd.io/etcd/etcdutl/v3", TOOLS.etcdutl.version],
  ["kubernetes", "k8s.io/kubernetes", TOOLS["kube-apiserver"].version],
  ["kubernetes-1.34", "k8s.io/kubernetes", TOOLS["kube-apiserver-1.34"].version],
  [HUB, "k8s.io/kubernetes", TOOLS["hub-apiserver"].version],
  ["pulumi", "github.com/pulumi/pulumi/pkg/v3", TOOLS.pulumi.version],
  ["language-nodejs", "github.com/pulumi/pulumi/sdk/v3", TOOLS["pulumi-language-nodejs"].version],
  ["kwok", "sigs.k8s.io/kwok", TOOLS.kwok.version],
  ["rke", "github.com/rancher/rke", TOOLS.rke.version],
  ["coredns", "github.com/coredns/coredns", TOOLS.coredns.version],
])("the go.mod of %s requires %s at the version of the table", (folder, module, version) => {
  expect(goMod(folder)).toMatch(
    new RegExp(`\\b${module.replaceAll(".", "\\.")} v${version.replaceAll(".", "\\.")}\\b`),
  );
});

test.each([
  ["kubernetes", TOOLS["kube-apiserver"].version],
  ["kubernetes-1.34", TOOLS["kube-apiserver-1.34"].version],
  [HUB, TOOLS["hub-apiserver"].version],
])("the modules of %s' own are all taken at the matching version", (folder, kubernetes) => {
  const replaced = [...goMod(folder).matchAll(/^\t(k8s\.io\/\S+) => (\S+) (\S+)$/gm)];
  expect(replaced.length).toBeGreaterThan(25);
  for (const [, from, to, version] of replaced) {
    expect(to).toBe(from);
    expect(version).toBe(`v${kubernetes.replace(/^1/, "0")}`);
  }
});

// These two modules are not in the checksum database; their contents were compared with the public tags by hand.
test.each([
  "github.com/pulumi/pulumi-kubernetes/provider/v4 v4.0.0-20260115033456-f47bc2d6f199 h1:j2bphCf7c2YhnBrhwht2f3TNRRgcMImltUlAgzxr9H4=",
  "github.com/pulumi/cloud-ready-checks v1.3.0 h1:sakLHDVOxw6xQQI61NV+sjZNlVbDOe3G6Ie+YQ7le38=",
])("the provider's go.sum holds %s", (line) => {
  expect(goSum("pulumi-kubernetes").split("\n")).toContain(line);
});

test("the engine is not older than the SDK of the program, and the provider is the SDK's", () => {
  expect(semver.gte(TOOLS.pulumi.version, packageJson.dependencies["@pulumi/pulumi"])).toBe(true);
  expect(packageJson.dependencies["@pulumi/kubernetes"]).toBe(TOOLS["pulumi-resource-kubernetes"].version);
});

/** The modules that a folder requires, at the versions that are used. */
function required(folder: string): Map<string, string> {
  const text = goMod(folder);
  return new Map([
    ...[...text.matchAll(/^\t(\S+) (v\S+)(?: \/\/ indirect)?$/gm)].map(
      ([, m = "", v = ""]) => [m, v] as const,
    ),
    ...[...text.matchAll(/^\t(\S+) => \S+ (v\S+)$/gm)].map(([, m = "", v = ""]) => [m, v] as const),
  ]);
}

// Go compiles a package once for all programs, but only if its version and those of everything below it are the same:
// one that differs in golang.org/x/time makes client-go be compiled again. `go get` the newer version in both folders.
test.each<[string, string, string[]]>([
  ["kubernetes", "etcd", []],
  ["kubernetes", HUB, []],
  ["kubernetes", "pulumi-kubernetes", []],
  // Few packages of CoreDNS use gRPC, and Kubernetes keeps the version that it was released with.
  ["kubernetes", "coredns", ["google.golang.org/grpc", "google.golang.org/genproto/googleapis/rpc"]],
  ["pulumi", "language-nodejs", []],
])("%s and %s use the same version of every module that they share", (one, other, apart) => {
  const versions = required(other);
  const different = [...required(one)].filter(
    ([module, version]) => versions.has(module) && versions.get(module) !== version,
  );
  expect(different.map(([module]) => module).sort()).toEqual([...apart].sort());
});
