// The settings that a company brings along, as docs/how-to/own-settings.md tells of them: previewed against the sandbox's AWS.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { load } from "js-yaml";
import { startAws, type Aws } from "../../sandbox/aws";
import { isObject, listAt, textAt } from "../../lib/json";
import { StackProgram } from "../harness/stack-program";

const PAGE = readFileSync(path.join(__dirname, "../../docs/how-to/own-settings.md"), "utf8");
const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);

let aws: Aws;
let program: StackProgram;
beforeAll(async () => {
  aws = await startAws();
  program = await StackProgram.open("acme", aws.environment);
  await program.configure((config) => {
    config["aws:region"] = "eu-central-1";
    config["fleetwright:environment"] = "acme";
  });
});
afterAll(async () => {
  await program.close();
  await aws.stop();
});

/** Sets the cluster of the stack: the page's blocks of settings over the smallest one. */
async function configured(...settings: string[]): Promise<void> {
  const selfManaged = settings.map((text) => {
    const cluster = (load(text) as Record<string, { selfManaged: object }>)["fleetwright:cluster"];
    return cluster?.selfManaged ?? {};
  });
  await program.configure((config) => {
    config["fleetwright:cluster"] = {
      version: "v1.35.7+rke2r1",
      iam: { permissionsBoundary: "arn:aws:iam::123456789012:policy/boundary", path: "/platform/" },
      pools: [{ name: "web" }],
      selfManaged: Object.assign({ bootstrap: true }, ...selfManaged) as object,
    };
  });
}

/** What the engine would give each resource of a type. */
function inputsOf(preview: unknown, type: string): Record<string, unknown>[] {
  return listAt(preview, "steps")
    .filter((step) => textAt(step, "newState", "type") === type)
    .map((step) => (isObject(step) && isObject(step.newState) ? step.newState.inputs : undefined))
    .filter(isObject);
}

it("the page's settings and its transforms.ts are taken, and reach what they are about", async () => {
  const yaml = blocks("yaml");
  expect(yaml).toHaveLength(2);
  await configured(...yaml);
  const [transforms = ""] = blocks("typescript");
  writeFileSync(path.join(program.folder, "transforms.ts"), transforms);
  const preview = await program.previewed();
  const [vpc] = inputsOf(preview, "aws:ec2/vpc:Vpc");
  expect(vpc).toMatchObject({ instanceTenancy: "dedicated" });
  const instances = inputsOf(preview, "aws:ec2/instance:Instance");
  expect(instances.map(({ monitoring }) => monitoring)).toEqual([true, true, true]);
  const volumes = inputsOf(preview, "aws:ebs/volume:Volume");
  expect(volumes.map(({ throughput }) => throughput)).toEqual([250, 250, 250]);
  const roles = inputsOf(preview, "aws:iam/role:Role");
  expect(roles.length).toBeGreaterThan(3);
  for (const { path: rolePath, permissionsBoundary } of roles)
    expect([rolePath, permissionsBoundary]).toEqual([
      "/platform/",
      "arn:aws:iam::123456789012:policy/boundary",
    ]);
});

it("everything that is wrong is in one message, before anything is declared", async () => {
  await configured(
    "fleetwright:cluster: { selfManaged: { config: { tls-san: [x] }, outboundProxy: { https: 'http://me:hunter2@p:1' } } }",
  );
  const { code, stdout, stderr } = await program.attempt(["preview"]);
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain(
    "fleetwright:cluster.selfManaged.config.tls-san: the program writes this key; use api.names",
  );
  expect(stdout + stderr).toMatch(/outboundProxy\.https: found a value: leave the account out/);
  expect(stdout + stderr).not.toContain("hunter2");
});

it("a transforms.ts with a wrong name says which one is right", async () => {
  await configured();
  writeFileSync(path.join(program.folder, "transforms.ts"), "export default { resource: [] };\n");
  const { code, stdout, stderr } = await program.attempt(["preview"]);
  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(
    /Invalid transforms\.ts \(1 problem\):\s+resource: .*did you mean resources/,
  );
});
