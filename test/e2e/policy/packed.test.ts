// The packs as somebody else installs them: packed, installed in a folder of their own, and used by a program elsewhere.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Engine } from "../../harness/engine";

jest.setTimeout(600_000);

const ROOT = path.join(__dirname, "../../..");
const run = promisify(execFile);
const VIOLATION = 'fleetwright:index:RkeCluster "main": version is "v1.27.9+rke2r1".';

let engine: Engine;
let installed: string;
let program: string;

beforeAll(async () => {
  engine = await Engine.open();
  const folder = engine.path("elsewhere");
  mkdirSync(folder);
  const pack = ["pack", "--workspace", "policy", "--ignore-scripts=false", "--pack-destination", folder];
  await run("npm", pack, { cwd: ROOT });
  const [tarball = ""] = readdirSync(folder);
  const options = ["--prefix", folder, "--prefer-offline", "--no-package-lock", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, path.join(folder, tarball)], { cwd: folder });
  installed = path.join(folder, "node_modules", "fleetwright-policy");
  program = engine.program("bad");
  await engine.expect(["stack", "init", "prod"], program);
  await engine.expect(["config", "set", "program", "old-version"], program);
});
afterAll(() => engine.close());

const preview = (...packs: readonly string[]): Promise<string> => previewWith(installed, packs);

async function previewWith(folder: string, packs: readonly string[]): Promise<string> {
  const args = ["preview", ...packs.flatMap((pack) => ["--policy-pack", path.join(folder, pack)])];
  const { code, stdout, stderr } = await engine.pulumi(args, program);
  expect(code).toBe(1);
  return stdout + stderr;
}

it("has neither the sandbox nor an SDK of a cloud", () => {
  const { dependencies } = JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  expect(Object.keys(dependencies)).toEqual([
    "@grpc/grpc-js",
    "@pulumi/policy",
    "@pulumi/pulumi",
    "esbuild",
    "google-protobuf",
  ]);
  const bundle = readFileSync(path.join(installed, "dist", "main.js"), "utf8");
  expect(bundle).not.toMatch(/@aws-sdk|sandbox\//);
  expect(readdirSync(path.join(installed, "..")).filter((name) => name.startsWith("@aws"))).toEqual([]);
});

it("evaluates a program as a file that the engine starts", async () => {
  const shown = await preview("fleetwright");
  expect(shown).toContain("❌ fleetwright@v0.1.0");
  expect(shown).toContain(VIOLATION);
});

it("evaluates a program as a folder that the language host starts", async () => {
  const shown = await preview(".");
  expect(shown).toContain("❌ fleetwright@v0.1.0");
  expect(shown).toContain(VIOLATION);
});

it("evaluates a program with single packs", async () => {
  const shown = await preview("aws", "product");
  expect(shown).toContain("✅ fleetwright-aws@v0.1.0");
  expect(shown).toContain("❌ fleetwright-product@v0.1.0");
  expect(shown).toContain(VIOLATION);
});

it("evaluates a program from a checkout in which nothing for development is installed", async () => {
  const checkout = engine.path("checkout");
  mkdirSync(checkout);
  for (const entry of [".npmrc", "package.json", "package-lock.json", "api", "lib", "policy"])
    cpSync(path.join(ROOT, entry), path.join(checkout, entry), { recursive: true });
  await run("npm", ["ci", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: checkout });
  expect(existsSync(path.join(checkout, "node_modules", "jest"))).toBe(false);
  for (const pack of ["fleetwright", "."]) {
    const shown = await previewWith(path.join(checkout, "policy"), [pack]);
    expect(shown).toContain("❌ fleetwright@v0.1.0");
    expect(shown).toContain(VIOLATION);
  }
});
