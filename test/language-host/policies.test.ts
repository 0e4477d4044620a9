import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Engine, programs } from "../harness/engine";

let engine: Engine;
let program: string;

beforeAll(async () => {
  engine = await Engine.open();
  program = engine.program("facts");
});

afterAll(() => engine.close());

/** Makes an empty stack, and gives the arguments that run a command on it under a policy pack. */
async function underPack(pack: string, command: "preview" | "up", kept: string): Promise<string[]> {
  const stack = `${pack}-${command}-${kept}`.replaceAll(/[^a-z-]/g, "-");
  await engine.expect(["stack", "init", stack], program);
  const settings = ["--plaintext", `kept=${kept}`, "--plaintext", "greeting=ahoy", "--secret", "token=hush"];
  await engine.expect(["config", "set-all", ...settings], program);
  const how = command === "up" ? ["--yes", "--skip-preview"] : [];
  return [command, ...how, "--policy-pack", join(programs, pack)];
}

async function state(): Promise<string> {
  return engine.expect(["stack", "export"], program);
}

describe("a mandatory policy", () => {
  it("lets pass what keeps to it", async () => {
    const shown = await engine.expect(await underPack("policy-mandatory", "up", "harmless"), program);
    expect(shown).toContain("mandatory-pack");
    expect(shown).not.toContain("no-forbidden-value");
    expect(await state()).toContain("pulumi:index:Stash");
  });

  it("stops a preview", async () => {
    const { code, stdout } = await engine.pulumi(
      await underPack("policy-mandatory", "preview", "forbidden"),
      program,
    );
    expect(code).toBe(1);
    expect(stdout).toContain("[mandatory]");
    expect(stdout).toContain('the stash holds the word "forbidden"');
  });

  it("stops an update before the resource is made", async () => {
    const { code, stdout } = await engine.pulumi(
      await underPack("policy-mandatory", "up", "forbidden"),
      program,
    );
    expect(code).toBe(1);
    expect(stdout).toContain('the stash holds the word "forbidden"');
    expect(await state()).not.toContain("pulumi:index:Stash");
  });

  it("reads its configuration", async () => {
    const settings = engine.path("policy-config.json");
    writeFileSync(settings, JSON.stringify({ "no-forbidden-value": { word: "other" } }));
    const configured = ["--policy-pack-config", settings];
    const other = await engine.pulumi(
      [...(await underPack("policy-mandatory", "preview", "other")), ...configured],
      program,
    );
    expect(other.code).toBe(1);
    expect(other.stdout).toContain('the stash holds the word "other"');
    await engine.expect(["config", "set", "kept", "forbidden"], program);
    await engine.expect(
      ["preview", "--policy-pack", join(programs, "policy-mandatory"), ...configured],
      program,
    );
  });
});

describe("an advisory policy", () => {
  it("warns and goes on", async () => {
    const shown = await engine.expect(await underPack("policy-advisory", "up", "forbidden"), program);
    expect(shown).toContain("[advisory]");
    expect(shown).toContain('the stash holds the word "forbidden"');
    expect(await state()).toContain("pulumi:index:Stash");
  });
});

describe("a policy pack", () => {
  async function facts(command: "preview" | "up"): Promise<unknown> {
    const shown = await engine.expect(await underPack("policy-facts", command, "anything"), program);
    const [, found] = /facts=(\{.*\})/.exec(shown) ?? [];
    return JSON.parse(found ?? "null");
  }

  it("knows the stack, its configuration and secret keys, and that this is a preview", async () => {
    expect(await facts("preview")).toEqual({
      organization: "organization",
      project: "facts",
      stack: "policy-facts-preview-anything",
      dryRun: true,
      greeting: "ahoy",
      secretKeys: ["facts:token"],
      workingDirectory: join(programs, "policy-facts"),
    });
  });

  it("knows that this is an update", async () => {
    expect(await facts("up")).toMatchObject({ dryRun: false, stack: "policy-facts-up-anything" });
  });

  it("that cannot be loaded stops the update and says why", async () => {
    const broken = engine.program("policy-facts", { as: "broken-pack" });
    writeFileSync(join(broken, "index.js"), `throw new Error("the pack is torn");\n`);
    const { code, stdout, stderr } = await engine.pulumi(
      [...(await underPack("policy-mandatory", "up", "torn")), "--policy-pack", broken],
      program,
    );
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("the pack is torn");
    expect(await state()).not.toContain("pulumi:index:Stash");
  });

  it("without the SDK says where it was looked for and what to do", async () => {
    const bare = engine.program("policy-facts", { as: "bare-pack", packages: false });
    const { code, stdout, stderr } = await engine.pulumi(
      [...(await underPack("policy-mandatory", "preview", "bare")), "--policy-pack", bare],
      program,
    );
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain(`@pulumi/pulumi/cmd/run-policy-pack is needed by ${bare}`);
    expect(stdout + stderr).toContain(`Run \`pulumi install\` (or \`npm install\`) in ${bare}`);
  });

  it("leaves no process", () => engine.idle());
});
