// The components as a library: packed, installed from the tarball elsewhere on the disk, and used by another program.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startAws, type Aws } from "../../sandbox/aws";
import { startCloud, type Cloud } from "../../sandbox/cloud/cloud";
import { DEFAULT_RELEASE } from "../../sandbox/machines/rke2";
import { describeMachines, testCloudFolder } from "../../sandbox/machines/testing/machine-host";
import { installProviders } from "../../sandbox/providers";
import { ensureTools } from "../../sandbox/toolchain";
import { Engine } from "../harness/engine";

jest.setTimeout(900_000);

const ROOT = path.join(__dirname, "../..");

let engine: Engine;
let aws: Aws;
let folder: string;

beforeAll(async () => {
  engine = await Engine.open();
  await installProviders(engine.home, ["aws", "command", "tls"]);
  aws = await startAws();
  folder = engine.path("library-cluster");
  cpSync(path.join(__dirname, "../programs/library-cluster"), folder, { recursive: true });
  // npm's settings of the repository must not count here.
  const run = (args: readonly string[], cwd: string): string =>
    execFileSync("npm", [...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const said = run(["pack", "--ignore-scripts=false", "--silent", "--pack-destination", folder], ROOT);
  const tarball = said.trim().split("\n").at(-1) ?? "";
  run(["install", "--prefer-offline", "--no-audit", "--no-fund", `./${tarball}`], folder);
});

afterAll(async () => {
  await aws.stop();
  await engine.close();
});

test("the package holds the library and nothing else", () => {
  const own = path.join(folder, "node_modules/fleetwright");
  expect(readdirSync(own).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  expect(readdirSync(path.join(own, "dist")).sort()).toEqual(["index.js", "index.js.map", "types"]);
  const text = readFileSync(path.join(own, "dist/index.js"), "utf8");
  const packages = new Set(Array.from(text.matchAll(/require\("([^."][^"]*)"\)/g), ([, name]) => name));
  expect([...packages].sort()).toEqual([
    "@pulumi/aws",
    "@pulumi/command",
    "@pulumi/kubernetes",
    "@pulumi/pulumi",
    "@pulumi/tls",
    "js-yaml",
    "node:crypto",
    "zod",
  ]);
});

test("another program previews a cluster with it", async () => {
  const environment = { ...aws.environment, AWS_ENDPOINT_URL: aws.endpoint };
  await engine.expect(["stack", "init", "dev"], folder);
  const preview = await engine.expect(["preview", "--json"], folder, environment);
  const { steps } = JSON.parse(preview) as {
    steps: { op: string; newState: { type: string; inputs: Record<string, unknown> } }[];
  };
  const made = steps.map(({ newState }) => newState);
  expect(made.filter(({ type }) => type === "fleetwright:index:RkeCluster")).toHaveLength(1);
  const instances = made.filter(({ type }) => type === "aws:ec2/instance:Instance");
  expect(instances.map(({ inputs }) => inputs.monitoring)).toEqual([true]);
});

describeMachines("another program on the sandbox's machines", () => {
  let cloud: Cloud;
  let inside: Engine;
  let environment: Record<string, string>;
  jest.setTimeout(900_000);

  beforeAll(async () => {
    cloud = await startCloud({ dir: testCloudFolder(), rke2: [DEFAULT_RELEASE] });
    const { machineHost } = cloud;
    if (machineHost === undefined) throw new Error(cloud.reason);
    environment = { ...cloud.aws.environment, AWS_ENDPOINT_URL: cloud.endpoint };
    inside = await Engine.open({ inside: (argv) => machineHost.command(argv) });
    await installProviders(inside.home, ["aws", "command", "tls"]);
    await inside.expect(["stack", "init", "shop"], folder);
  });
  afterAll(async () => {
    await inside.close();
    await cloud.stop();
  });

  test("builds a cluster with it, whose nodes are ready", async () => {
    await inside.expect(["up", "--yes", "--skip-preview"], folder, environment);
    const { kubectl } = await ensureTools(["kubectl"]);
    const kubeconfig = inside.path("shop.kubeconfig");
    const shown = await inside.expect(["stack", "output", "kubeconfig", "--show-secrets"], folder);
    writeFileSync(kubeconfig, shown, { mode: 0o600 });
    const argv = [
      kubectl.path,
      "--kubeconfig",
      kubeconfig,
      "wait",
      "--for=condition=Ready",
      "nodes",
      "--all",
    ];
    const said = await cloud.machineHost?.exec([...argv, "--timeout=60s"]);
    expect(said?.stdout.match(/condition met/g)).toHaveLength(2);
  });

  test("takes it away again, and nothing is left", async () => {
    await inside.expect(["destroy", "--yes", "--skip-preview"], folder, environment);
    expect(await cloud.aws.leftovers()).toEqual([]);
  });
});

test("its types describe it to a program in TypeScript", () => {
  const source = path.join(folder, "program.ts");
  cpSync(path.join(__dirname, "testdata/library-program.ts"), source);
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...options, source], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});
