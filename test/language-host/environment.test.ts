import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { Engine, enginePaths } from "../harness/engine";

let engine: Engine;

beforeAll(async () => (engine = await Engine.open()));
afterAll(() => engine.close());

const noise = /rpc error|code = Unknown|grpc|goroutine|panic/i;

it("says where the SDK was looked for when it is missing, and what to do", async () => {
  const program = engine.program("facts", { as: "bare", packages: false });
  await engine.expect(["stack", "init", "bare"], program);
  const { code, stdout } = await engine.pulumi(["preview"], program);
  expect(code).toBe(1);
  expect(stdout).toContain("the Pulumi SDK was not found");
  expect(stdout).toContain(`is needed by ${program}, and there is no node_modules in it or above it`);
  expect(stdout).toContain(`Run \`pulumi install\` (or \`npm install\`) in ${program}`);
  expect(stdout).not.toMatch(noise);

  mkdirSync(join(program, "node_modules"));
  const { stdout: withFolder } = await engine.pulumi(["preview"], program);
  expect(withFolder).toContain(`${program}/node_modules does not hold it`);
});

it("says that node is missing, and shows PATH", async () => {
  const program = engine.program("facts", { as: "nodeless" });
  await engine.expect(["stack", "init", "nodeless"], program);
  const { pulumi, languageHost } = await enginePaths();
  const path = [dirname(pulumi), dirname(languageHost)].join(delimiter);
  const { code, stdout } = await engine.pulumi(["preview"], program, { PATH: path });
  expect(code).toBe(1);
  expect(stdout).toContain(`node was not found: it is needed to run ${program}`);
  expect(stdout).toContain(`PATH is ${path}`);
  expect(stdout).toContain("Install Node.js");
  expect(stdout).not.toMatch(noise);
});

it("says that node is too old for the SDK, with both versions", async () => {
  const program = engine.program("facts", { as: "old" });
  await engine.expect(["stack", "init", "old"], program);
  const bin = engine.path("old-node");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "old.js"),
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "16.20.1" } });`,
  );
  writeFileSync(join(bin, "node"), `#!/bin/sh\nexec '${process.execPath}' -r '${bin}/old.js' "$@"\n`);
  chmodSync(join(bin, "node"), 0o755);
  const { pulumi, languageHost } = await enginePaths();
  const path = [dirname(pulumi), dirname(languageHost), bin, process.env.PATH].join(delimiter);
  const { code, stdout } = await engine.pulumi(["preview"], program, { PATH: path });
  expect(code).toBe(1);
  expect(stdout).toMatch(/node is too old: @pulumi\/pulumi 3\.\d+\.\d+ in .* needs node >=\d+/);
  expect(stdout).toContain(`and ${bin}/node is 16.20.1`);
});

it("names every runtime option that is wrong", async () => {
  const program = engine.program("facts", { as: "options" });
  writeFileSync(
    join(program, "Pulumi.yaml"),
    `name: facts\nruntime:\n  name: nodejs\n  options: { typescript: "yes", nodeargs: "'open", packagemanager: pip }\n`,
  );
  await engine.expect(["stack", "init", "options"], program);
  const { code, stdout } = await engine.pulumi(["preview"], program);
  expect(code).toBe(1);
  expect(stdout).toContain(`the runtime options in ${program} are not valid`);
  expect(stdout).toContain(`typescript is "yes": write true or false`);
  expect(stdout).toContain(`nodeargs is "'open": close its quotes`);
  expect(stdout).toContain(`packagemanager is "pip": write one of [auto npm yarn pnpm bun]`);
});
