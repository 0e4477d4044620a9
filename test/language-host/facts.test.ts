import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Engine } from "../harness/engine";

const secret = "the word that nobody may read";

let engine: Engine;
let program: string;

beforeAll(async () => {
  engine = await Engine.open();
  program = engine.program("facts");
  await engine.expect(["stack", "init", "sea"], program);
  await engine.expect(["config", "set", "greeting", 'hello "world" $HOME'], program);
  await engine.expect(["config", "set", "--path", "nested.list[0]", "one"], program);
  await engine.expect(["config", "set", "--secret", "token", secret], program);
});

afterAll(() => engine.close());

/** Everything that the engine has written about its stacks. */
function stateFiles(folder = engine.state): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

describe("a preview", () => {
  let shown: string;
  beforeAll(async () => (shown = await engine.expect(["preview"], program)));

  it("is known to the program as one", () => {
    expect(shown).toContain("this is a preview");
    expect(shown).toMatch(/dryRun *: true/);
    expect(shown).not.toContain("this is an update");
  });

  it("shows a secret as a secret", () => {
    expect(shown).toMatch(/token *: \[secret\]/);
    expect(shown).not.toContain(secret);
  });

  it("makes nothing", async () => {
    expect(await engine.expect(["stack", "export"], program)).not.toContain("pulumi:index:Stash");
  });
});

describe("an update", () => {
  let shown: string;
  let outputs: unknown;
  beforeAll(async () => {
    shown = await engine.expect(["up", "--yes", "--skip-preview", "--parallel", "3"], program);
    outputs = JSON.parse(await engine.expect(["stack", "output", "--json", "--show-secrets"], program));
  });

  it("is known to the program as one", () => {
    expect(shown).toContain("this is an update");
    expect(outputs).toMatchObject({ dryRun: false });
  });

  it("makes the program's resources", async () => {
    expect(shown).toContain("pulumi:index:Stash kept created");
    expect(await engine.expect(["stack", "export"], program)).toContain("pulumi:index:Stash");
  });

  it("tells the program its organization, project and stack", () => {
    expect(outputs).toMatchObject({ organization: "organization", project: "facts", stack: "sea" });
  });

  it("runs the program in its directory and tells it the project's", () => {
    expect(outputs).toMatchObject({ rootDirectory: program, workingDirectory: program });
  });

  it("passes on --parallel", () => {
    expect(outputs).toMatchObject({ parallel: "3" });
  });

  it("passes on plain and structured configuration unchanged", () => {
    expect(outputs).toMatchObject({ greeting: 'hello "world" $HOME', nested: { list: ["one"] } });
  });

  it("passes on secrets and says which keys are secret", () => {
    expect(outputs).toMatchObject({ token: secret, tokenIsSecret: true, secretKeys: ["facts:token"] });
  });

  it("keeps secrets out of the output and the state", () => {
    expect(shown).not.toContain(secret);
    const written = stateFiles();
    expect(written).toContain("pulumi:index:Stash");
    expect(written).not.toContain(secret);
  });

  it("starts node with the words of the nodeargs option", () => {
    expect(outputs).toMatchObject({
      title: "facts of the stack",
      nodeArguments: ["--title=facts of the stack", "--stack-trace-limit=37"],
    });
  });

  it("leaves no process", () => engine.idle());
});
