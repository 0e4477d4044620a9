import { chmod, mkdtemp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { askVersion, findInstalled, onPath, suits } from "./installed";
import { type Tool, TOOLS } from "./tools";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "fleetwright-installed-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function program(file: string, output: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\necho "${output}"\n`);
  await chmod(file, 0o755);
  return file;
}

test.each([
  ["1.35.4", "~1.35.0", true],
  ["v1.35.9", "~1.35.0", true],
  ["1.35.4-gke.100", "~1.35.0", true],
  ["1.32.4-dispatcher", "~1.35.0", false],
  ["1.36.0", "~1.35.0", false],
  ["3.247.9", TOOLS.pulumi.suits, false],
  ["3.270.0", TOOLS.pulumi.suits, true],
  ["unknown", "*", false],
])("version %s for the range %s: %s", (version, range, expected) => {
  expect(suits(version, range)).toBe(expected);
});

test.each<[keyof typeof TOOLS, string, string]>([
  ["etcd", "etcd Version: 3.6.5\nGit SHA: x\nGo Version: go1.26", "3.6.5"],
  ["etcdctl", "etcdctl version: 3.6.5\nAPI version: 3.6", "3.6.5"],
  ["kube-apiserver", "Kubernetes v1.35.4", "1.35.4"],
  ["kubectl", "Client Version: v1.35.4\nKustomize Version: v5.7.1", "1.35.4"],
  ["kwok", "kwok version v0.8.0 go1.26 (linux/amd64)", "0.8.0"],
  ["pulumi", "v3.258.0", "3.258.0"],
  ["rke", "rke version v1.8.6", "1.8.6"],
])("the version of %s is read from what it prints", async (name, printed, version) => {
  const recognise: Tool["recognise"] = TOOLS[name].recognise;
  if (recognise.by !== "version") throw new Error(`${name} is not asked for its version`);
  const file = await program(path.join(folder, name), printed);
  expect(await askVersion(file, recognise.args, recognise.pattern)).toBe(version);
});

test("a program that cannot run has no version", async () => {
  expect(await askVersion(path.join(folder, "nothing"), [], /(.*)/)).toBe("");
  expect(await askVersion(path.join(folder, "nothing"), [], /version (.+)/)).toBeUndefined();
});

test("a suitable program on PATH is taken, an unsuitable one is not", async () => {
  const PATH = folder;
  await program(path.join(folder, "kubectl"), "Client Version: v1.32.4");
  expect(await findInstalled("kubectl", TOOLS.kubectl, new Map(), { PATH }, [])).toBeUndefined();
  const file = await program(path.join(folder, "kubectl"), "Client Version: v1.35.1");
  expect(await findInstalled("kubectl", TOOLS.kubectl, new Map(), { PATH }, [])).toEqual({
    path: file,
    version: "1.35.1",
  });
});

test("our own cache on PATH does not count as an installation", async () => {
  const cached = await program(path.join(folder, "cache", "etcd"), "etcd Version: 3.6.5");
  const bin = path.join(folder, "bin");
  await mkdir(bin);
  await symlink(cached, path.join(bin, "etcd"));
  expect(await onPath("etcd", { PATH: bin }, [path.join(folder, "cache")])).toBeUndefined();
  expect(await onPath("etcd", { PATH: bin }, [])).toBe(path.join(bin, "etcd"));
});

test("relative entries of PATH are never searched", async () => {
  await program(path.join(folder, "etcd"), "etcd Version: 3.6.5");
  const here = process.cwd();
  process.chdir(folder);
  try {
    expect(await onPath("etcd", { PATH: `.:${path.delimiter}` }, [])).toBeUndefined();
  } finally {
    process.chdir(here);
  }
});

test("the language host is taken from beside an installed engine only", async () => {
  const tool = TOOLS["pulumi-language-nodejs"];
  const host = await program(path.join(folder, "pulumi-language-nodejs"), "");
  expect(
    await findInstalled("pulumi-language-nodejs", tool, new Map(), { PATH: folder }, []),
  ).toBeUndefined();
  const engine = { path: await program(path.join(folder, "pulumi"), "v3.260.0"), version: "3.260.0" };
  expect(
    await findInstalled("pulumi-language-nodejs", tool, new Map([["pulumi", engine]]), { PATH: folder }, []),
  ).toEqual({ path: host, version: "3.260.0" });
});

test("a provider is taken from Pulumi's plugin cache at exactly our version", async () => {
  const tool = TOOLS["pulumi-resource-kubernetes"];
  const env = { PULUMI_HOME: folder };
  const at = (version: string): string =>
    path.join(folder, "plugins", `resource-kubernetes-v${version}`, "pulumi-resource-kubernetes");
  await program(at("4.24.0"), "");
  expect(await findInstalled("pulumi-resource-kubernetes", tool, new Map(), env, [])).toBeUndefined();
  await program(at(tool.version), "");
  expect(await findInstalled("pulumi-resource-kubernetes", tool, new Map(), env, [])).toEqual({
    path: at(tool.version),
    version: tool.version,
  });
});

test("a sandbox's own commands, on PATH in its shell, are not taken for the tools that they run", async () => {
  const bin = path.join(folder, ".sandbox", "default", "bin");
  await program(path.join(bin, "pulumi"), "v3.258.0");
  expect(await onPath("pulumi", { PATH: bin }, [])).toBeUndefined();
});
