import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Engine } from "./engine";

const PROJECT = path.join(__dirname, "..");

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.open();
});
afterAll(() => engine.close());

/** The project as it is, but with another index.ts. */
function projectWith(name: string, index: string): string {
  const folder = engine.path(name);
  mkdirSync(folder);
  for (const file of ["Pulumi.yaml", "package.json", "run.js", "plain-errors.js"]) {
    cpSync(path.join(PROJECT, file), path.join(folder, file));
  }
  symlinkSync(path.join(PROJECT, "node_modules"), path.join(folder, "node_modules"));
  writeFileSync(path.join(folder, "index.ts"), index);
  return folder;
}

const CONFIGURED = ["--config", "environment=test", "--config", "kubeContext=nowhere"];

test("a stack without its required settings is refused with their names, before the program runs", async () => {
  const folder = projectWith("unset", 'throw new Error("the program ran");');
  await engine.expect(["stack", "init", "unset"], folder);
  const { code, stdout, stderr } = await engine.pulumi(["preview"], folder);
  expect(code).not.toBe(0);
  expect(`${stdout}${stderr}`).toMatch(/missing configuration value 'environment'/);
  expect(`${stdout}${stderr}`).not.toContain("the program ran");
}, 60_000);

// Node 20 needs up to a minute to colour such a stack: plain-errors.js is why this takes seconds.
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
  "%s is told at once, with the line of index.ts",
  async (what, code, told) => {
    const name = what.replaceAll(" ", "-");
    const folder = projectWith(name, `import * as pulumi from "@pulumi/pulumi";\n${code}\n`);
    await engine.expect(["stack", "init", name], folder);
    const start = Date.now();
    const outcome = await engine.pulumi(["preview", ...CONFIGURED], folder);
    expect(outcome.code).not.toBe(0);
    expect(`${outcome.stdout}${outcome.stderr}`).toMatch(told);
    expect(Date.now() - start).toBeLessThan(20_000);
  },
  120_000,
);

test("a registry without credentials is refused before anything is made, and goes on with a secret one", async () => {
  const index = `import { readConfig } from ${JSON.stringify(path.join(PROJECT, "config"))};
const { credentials } = readConfig().registries[0] as { credentials: { password: { isSecret: Promise<boolean> } } };
void credentials.password.isSecret.then((secret) => console.log("went on, secret " + secret));`;
  const folder = projectWith("registry", index);
  await engine.expect(["stack", "init", "registry"], folder);
  for (const [name, value] of [
    ["environment", "test"],
    ["kubeContext", "nowhere"],
    ["registries[0].name", "hub"],
    ["registries[0].provider", "github"],
    ["registries[0].endpoint", "ghcr.io"],
  ] as const)
    await engine.expect(["config", "set", "--path", `fleetwright:${name}`, value], folder);
  const refused = await engine.pulumi(["preview"], folder);
  expect(refused.code).not.toBe(0);
  expect(`${refused.stdout}${refused.stderr}`).toContain('The registry "hub" has no credentials');
  expect(`${refused.stdout}${refused.stderr}`).not.toContain("went on");
  const password = ["--path", "fleetwright:registryCredentials.hub.password", "hush-hush"];
  await engine.expect(["config", "set", "--secret", ...password], folder);
  const said = await engine.expect(["preview"], folder);
  expect(said).toContain("went on, secret true");
  expect(said).not.toContain("hush-hush");
}, 120_000);

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
Error.prepareStackTrace = () => "for a moment";
other();
Error.prepareStackTrace = saved;
const nobody = (() => new Error().stack)();
console.log(JSON.stringify([debuggablePromise(), other(), nobody]));`;
  const said = execFileSync(process.execPath, ["--require", "./plain-errors.js", "-e", program], {
    cwd: PROJECT,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  expect(JSON.parse(said)).toEqual(found);
});
