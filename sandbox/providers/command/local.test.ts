import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "../../../lib/deadline";
import { call, testContext, written } from "../testing/provider-harness";
import { isArchive, isAsset, type Values } from "../shell/wire";
import { globPattern, select } from "./glob";
import { isLast, waitAfter } from "./dial";
import { commandProvider } from "./provider";
import { isRunning } from "./testing/sshd";

const provider = commandProvider("0.0.0");
const COMMAND = "command:local:Command";

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "fleetwright-local-")));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(inputs: Values, context = testContext()): Promise<Values> {
  return (await call(provider, COMMAND, context).create(inputs)).state;
}

async function problem(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no problem",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe("local.Command", () => {
  test("runs in its folder with its variables, input and interpreter", async () => {
    const state = await run({
      create: 'pwd; echo "$A"; cat; echo err >&2',
      dir: folder,
      environment: { A: "it's" },
      stdin: "in",
    });
    expect(state).toMatchObject({ stdout: `${folder}\nit's\nin`, stderr: "err" });
    expect(await run({ create: "console.log(1 + 1)", interpreter: ["node", "-e"] })).toMatchObject({
      stdout: "2",
    });
  });

  test("without a script it does nothing and says nothing", async () => {
    expect(await run({ delete: "true" })).toMatchObject({ stdout: "", stderr: "" });
  });

  test("failures show the whole script and all output, as those of the official provider 1.2.1 do", async () => {
    const all = Array.from({ length: 100 }, (_, index) => `${index + 1}\n`).join("");
    expect(await problem(run({ create: "seq 1 100; exit 3", logging: "none" }))).toBe(
      `exit status 3: running "seq 1 100; exit 3":\n${all}`,
    );
    expect(await problem(run({ create: "kill -9 $$" }))).toBe('signal: killed: running "kill -9 $$":\n');
  });

  test("updates run update, or else create; a delete runs with the last output", async () => {
    const command = call(provider, COMMAND);
    const file = join(folder, "life");
    const inputs = {
      create: `echo "create($PULUMI_COMMAND_STDOUT)" | tee -a ${file}`,
      delete: `echo "delete($PULUMI_COMMAND_STDOUT)" >> ${file}`,
    };
    const { id, state } = await command.create(inputs);
    const changed = { ...inputs, stdin: "x" };
    const second = await command.update(id, state, inputs, changed);
    const own = { ...changed, update: `echo updated >> ${file}` };
    const third = await command.update(id, second, changed, own);
    await command.delete(id, third);
    expect(await readFile(file, "utf8")).toBe("create()\ncreate(create())\nupdated\ndelete()\n");
  });

  test("gives the files that are asked for", async () => {
    const dir = join(folder, "files");
    await mkdir(join(dir, "src"), { recursive: true });
    await writeFile(join(dir, "src", "secret.js"), "no");
    const state = await run({
      create: "echo 1 > src/index.js; mkdir -p assets/logos; echo 2 > assets/logos/logo.svg",
      dir,
      assetPaths: ["assets/**", "src/**.js", "!**secret.*"],
      archivePaths: ["**"],
    });
    const assets = state.assets;
    expect(Object.keys(assets ?? {})).toEqual(["assets/logos/logo.svg", "src/index.js"]);
    expect(Object.values(assets ?? {}).every(isAsset)).toBe(true);
    expect(isArchive(state.archive)).toBe(true);
    expect(state.archive).toMatchObject({
      assets: { "src/secret.js": { path: join(dir, "src/secret.js") } },
    });
  });

  test("a cancellation ends the command and all that it started", async () => {
    const stop = new AbortController();
    const file = join(folder, "child");
    const running = problem(
      run(
        {
          create: `sh -c 'trap "" TERM; echo $$ > ${file}.new; mv ${file}.new ${file}; while :; do sleep 1; done' & wait`,
        },
        testContext({ signal: stop.signal }),
      ),
    );
    await waitFor("the child", () => existsSync(file), { timeoutMs: 120_000 });
    const pid = (await readFile(file, "utf8")).trim();
    stop.abort(new Error("the update was cancelled"));
    expect(await running).toBe("the update was cancelled");
    expect(isRunning(pid)).toBe(false);
  });

  test("wrong names of variables are refused", () => {
    expect(
      call(provider, COMMAND)
        .failures({ environment: { "A B": "x" } })
        .join(),
    ).toContain("environment.A B must be named with letters");
  });
});

describe("local.run", () => {
  test("runs a command each time and gives what it says", async () => {
    const result = await written(provider, "command:local:run", {
      command: "echo $A",
      environment: { A: "b" },
    });
    expect(result).toMatchObject({ command: "echo $A", stdout: "b", stderr: "" });
  });
});

describe("globs", () => {
  test.each([
    ["*.txt", "a.txt", true],
    ["*.txt", "dir/a.txt", false],
    ["**.txt", "dir/a.txt", true],
    ["dir/**", "dir/a/b", true],
    ["{a,b}.js", "b.js", true],
    ["[!a].js", "a.js", false],
    ["[a-c].js", "b.js", true],
    ["?.js", "/.js", false],
    ["a\\*.js", "a*.js", true],
    ["a.js", "axjs", false],
    ["a+b", "a+b", true],
  ])("%s and %s: %s", (glob, path, fits) => {
    expect(globPattern(glob).test(path)).toBe(fits);
  });

  test("later rules win", () => {
    expect(select(["a", "b", "c"], ["*", "![bc]", "c"])).toEqual(["a", "c"]);
    expect(() => select([], ["{a"])).toThrow('has a "{" without its "}"');
  });
});

describe("dialling", () => {
  test("waits longer after each failure, up to a limit", () => {
    expect([1, 2, 3, 50].map((failures) => Math.round(waitAfter(failures)))).toEqual([150, 225, 338, 5000]);
  });

  test.each([
    [1, 0, true],
    [10, 10, false],
    [11, 10, true],
    [1000, -1, false],
  ])("%s failures with a limit of %s: last %s", (failures, limit, last) => {
    expect(isLast(failures, limit)).toBe(last);
  });
});
