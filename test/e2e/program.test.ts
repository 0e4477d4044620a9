import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { dump, load } from "js-yaml";
import { Engine } from "../harness/engine";

const PROJECT = path.join(__dirname, "../..");

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.open();
});
afterAll(() => engine.close());

/** The project as it is, but with another index.ts. */
function projectWith(name: string, index: string): string {
  const folder = engine.path(name);
  mkdirSync(folder);
  for (const file of ["Pulumi.yaml", "package.json", "run.js"]) {
    cpSync(path.join(PROJECT, file), path.join(folder, file));
  }
  for (const entry of ["lib", "node_modules"])
    symlinkSync(path.join(PROJECT, entry), path.join(folder, entry));
  writeFileSync(path.join(folder, "index.ts"), index);
  return folder;
}

const CONFIGURED = ["--config", "environment=test", "--config", "kubeContext=nowhere"];

// That such a stack is not coloured, for which Node 20 needs up to a minute, is tested beside lib/sdk-patches.
test.each([
  [
    "a missing setting",
    'new pulumi.Config().require("shoeSize");',
    /Missing required configuration variable/,
  ],
  [
    "an error in an apply",
    'new pulumi.ComponentResource("a:b:c", "x", { v: pulumi.output(1).apply(() => { throw new Error("boom"); }) });\nexport const late = pulumi.output(1).apply((): number => { throw new Error("boom"); });',
    /boom[^]*index\.ts:[23]:/,
  ],
])(
  "%s is reported, with the line of index.ts",
  async (what, code, expected) => {
    const name = what.replaceAll(" ", "-");
    const folder = projectWith(name, `import * as pulumi from "@pulumi/pulumi";\n${code}\n`);
    await engine.expect(["stack", "init", name], folder);
    const outcome = await engine.pulumi(["preview", ...CONFIGURED], folder);
    expect(outcome.code).not.toBe(0);
    expect(`${outcome.stdout}${outcome.stderr}`).toMatch(expected);
  },
  120_000,
);

describe("a stack's settings", () => {
  /** The project as it is, with settings in a stack's file. */
  async function stackWith(name: string, settings: object): Promise<string> {
    const folder = projectWith(name, readFileSync(path.join(PROJECT, "index.ts"), "utf8"));
    for (const file of ["config.ts", "way-in.ts"]) cpSync(path.join(PROJECT, file), path.join(folder, file));
    for (const entry of ["api", "components", "preview", "tunnel"])
      symlinkSync(path.join(PROJECT, entry), path.join(folder, entry));
    await engine.expect(["stack", "init", name], folder);
    const file = path.join(folder, `Pulumi.${name}.yaml`);
    const found = load(readFileSync(file, "utf8")) ?? {};
    writeFileSync(file, dump({ ...found, config: settings }));
    return folder;
  }

  test("are reported in one message when they are wrong, before any resource, and nothing else is printed", async () => {
    const folder = await stackWith("mistakes", {
      "fleetwright:environment": "dev",
      "fleetwright:cluster": {
        version: "v1.35.4+rke2r1",
        selfManaged: { bootstrap: true },
        pools: [{ name: "web" }],
      },
      "fleetwright:users": [{ name: "root" }, { name: "jane", sshKeys: [{ key: "x" }] }, { name: "jane" }],
      "fleetwright:nodeLabels": { cluster: { tier: "a b" }, pools: { wbe: { disk: "nvme" } } },
      "fleetwright:roles": [{ name: "viewer", rules: [{ nonResourceURLs: ["/healthz"], verbs: ["get"] }] }],
      "fleetwright:bindings": [{ role: "viewr", team: "support" }],
      "fleetwright:pluginz": [],
    });
    const { code, stdout, stderr } = await engine.pulumi(["preview", "--color=never"], folder);
    expect(code).not.toBe(0);
    expect(stdout).toContain("error: Invalid stack settings (7 problems):");
    for (const place of [
      "fleetwright:pluginz: unknown setting: did you mean fleetwright:plugins?",
      'fleetwright:users[0].name: found "root"',
      'fleetwright:users[1].sshKeys[0].key: found "x"',
      'fleetwright:users[2].name: found "jane"',
      'fleetwright:nodeLabels.cluster.tier: found "a b"',
      "fleetwright:nodeLabels.pools.wbe: no such pool: did you mean web?",
      'fleetwright:bindings[0].role: found "viewr": no such role; did you mean viewer?',
    ])
      expect(stdout).toContain(place);
    expect(`${stdout}${stderr}`).not.toMatch(/^\s+at |advisory|warning: [^u]/m);
    // The stack itself is the only resource.
    expect(stdout).not.toMatch(/\+ +(?!pulumi:pulumi:Stack)\w+:/);
    expect(stdout).not.toContain("SystemNamespace");
  });

  test("are refused without credentials for a registry, and go on with secret ones", async () => {
    const index = `import { readConfig } from "./config";
const { credentials } = readConfig().registries[0] as { credentials: { password: { isSecret: Promise<boolean> } } };
void credentials.password.isSecret.then((secret) => console.log("went on, secret " + secret));`;
    const folder = await stackWith("registry", {
      "fleetwright:environment": "test",
      "fleetwright:kubeContext": "nowhere",
      "fleetwright:registries": [{ name: "hub", provider: "github", endpoint: "ghcr.io" }],
    });
    writeFileSync(path.join(folder, "index.ts"), index);
    const refused = await engine.pulumi(["preview"], folder);
    expect(refused.code).not.toBe(0);
    expect(refused.stdout).toContain('fleetwright:registries[0]: no credentials for "hub"');
    expect(refused.stdout).not.toContain("went on");
    const password = ["--path", "fleetwright:registryCredentials.hub.password", "hush-hush"];
    await engine.expect(["config", "set", "--secret", ...password], folder);
    const said = await engine.expect(["preview"], folder);
    expect(said).toContain("went on, secret true");
    expect(said).not.toContain("hush-hush");
  });
});

test.each([
  ["no stack is rendered for a promise of the SDK", {}, ["", "rendered", "rendered"]],
  [
    "unless promises that never end are looked for",
    { PULUMI_DEBUG_PROMISE_LEAKS: "true" },
    Array(3).fill("rendered"),
  ],
])("%s", (_, env, found) => {
  const program = `Error.prepareStackTrace = () => "rendered";
function debuggablePromise() { return new Error().stack; }
function other() { return new Error().stack; }
const saved = Error.prepareStackTrace;
Error.prepareStackTrace = () => "for a while";
other();
Error.prepareStackTrace = saved;
const nobody = (() => new Error().stack)();
console.log(JSON.stringify([debuggablePromise(), other(), nobody]));`;
  const said = execFileSync(process.execPath, ["--require", "./lib/sdk-patches/index.js", "-e", program], {
    cwd: PROJECT,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  expect(JSON.parse(said)).toEqual(found);
});
