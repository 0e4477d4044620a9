import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Engine, programs } from "../harness/engine";

let engine: Engine;

beforeAll(async () => (engine = await Engine.open()));
afterAll(() => engine.close());

function writePackage(folder: string, manifest: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
}

it("finds the provider plugins that installed packages ask for, nested and linked ones too", async () => {
  const program = engine.program("facts", { as: "packages", packages: false });
  const modules = join(program, "node_modules");
  writePackage(join(modules, "@pulumi", "own"), {
    name: "@pulumi/own",
    version: "1.0.0",
    pulumi: { resource: true },
  });
  writePackage(join(modules, "@acme", "boats"), {
    name: "@acme/boats",
    version: "9.9.9",
    pulumi: { resource: true, name: "boats", version: "2.1.0" },
  });
  writePackage(join(modules, "plain", "node_modules", "nested"), {
    name: "nested",
    version: "3.0.0",
    pulumi: { resource: true, name: "nested" },
  });
  writePackage(join(modules, ".pnpm", "stored@4.0.0", "node_modules", "stored"), {
    name: "stored",
    version: "v4.0.0",
    pulumi: { resource: true, name: "stored" },
  });
  writePackage(join(modules, "quiet"), { name: "quiet", version: "5.0.0", pulumi: { resource: false } });
  writePackage(join(modules, "nameless"), { name: "nameless", version: "6.0.0", pulumi: { resource: true } });

  const about = await engine.expect(["about"], program);
  const found = [...about.matchAll(/^resource +(\S+) +(\S+)/gm)].map(
    ([, name, version]) => `${name} ${version}`,
  );
  expect(found.sort()).toEqual(["boats 2.1.0", "nested 3.0.0", "own 1.0.0", "stored 4.0.0"]);
});

it("describes node, the package manager and the locked packages", async () => {
  const program = engine.program("facts", { as: "about" });
  const left = { version: "1.2.3", resolved: "https://packages.example/left/-/left-1.2.3.tgz" };
  const lock = { name: "about", lockfileVersion: 3, packages: { "": {}, "node_modules/left": left } };
  writePackage(program, { name: "about", dependencies: { left: "^1.0.0" } });
  writeFileSync(join(program, "package-lock.json"), JSON.stringify(lock, null, 2));
  const about: unknown = JSON.parse(await engine.expect(["about", "--json"], program));
  expect(about).toMatchObject({
    runtime: { language: "nodejs", version: process.version, packagemanager: "npm" },
    dependencies: [{ name: "left", version: "1.2.3" }],
  });
});

it("installs dependencies with the package manager and shows what it says", async () => {
  const program = engine.program("facts", { as: "install", packages: false });
  writePackage(join(program, "lib"), { name: "local-library", version: "1.0.0" });
  writePackage(program, { name: "install", private: true, dependencies: { "local-library": "file:./lib" } });
  const shown = await engine.expect(["install"], program, { npm_config_offline: "true" });
  expect(shown).toContain(`Installing dependencies in ${program}`);
  expect(shown).toMatch(/added 1 package/);
  expect(shown).toContain("Finished installing dependencies with npm");
  expect(existsSync(join(program, "node_modules", "local-library", "package.json"))).toBe(true);
});

it("says so when dependencies cannot be installed", async () => {
  const program = engine.program("facts", { as: "uninstallable", packages: false });
  writePackage(program, {
    name: "uninstallable",
    private: true,
    dependencies: { "nobody-has-this": "1.0.0" },
  });
  const { code, stdout, stderr } = await engine.pulumi(["install"], program, { npm_config_offline: "true" });
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain(`the dependencies of ${program} could not be installed`);
});

it("serves components that are written in TypeScript as a plugin", async () => {
  const program = engine.program("library");
  const provider = { name: "bookcase", path: join(programs, "component") };
  appendFileSync(join(program, "Pulumi.yaml"), `plugins: ${JSON.stringify({ providers: [provider] })}\n`);
  await engine.expect(["stack", "init", "library"], program);
  await engine.expect(["up", "--yes", "--skip-preview"], program);
  expect(JSON.parse(await engine.expect(["stack", "output", "--json"], program))).toEqual({ shelves: 5 });
  await engine.idle();
});
