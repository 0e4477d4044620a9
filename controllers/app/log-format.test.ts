// Starts each of our programs as it runs in its pod, without an API server, and reads what it logs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { bundleInto, PROGRAMS } from "../../scripts/images/programs";

const work = mkdtempSync(path.join(tmpdir(), "fleetwright-logs-"));
const files = new Map<string, string>();
const kubeconfig = path.join(work, "kubeconfig");

beforeAll(async () => {
  for (const program of PROGRAMS) files.set(program.name, await bundleInto(work, program));
  const cluster = { name: "c", cluster: { server: "https://127.0.0.1:1" } };
  const user = { name: "u", user: { token: "t" } };
  const context = { name: "x", context: { cluster: "c", user: "u" } };
  const config = { clusters: [cluster], users: [user], contexts: [context], "current-context": "x" };
  writeFileSync(kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "Config", ...config }));
});
afterAll(() => rmSync(work, { recursive: true }));

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  coordinator: [`--kubeconfig=${kubeconfig}`, "--identity=pod-1"],
  hub: [`--kubeconfig=${kubeconfig}`, "--identity=pod-2", "--leader-elect=false"],
  syncer: [`--hub=${kubeconfig}`, `--member=${kubeconfig}`, "--cluster=east", "--identity=pod-3"],
  agent: [
    "--server=https://127.0.0.1:1",
    "--node=node-1",
    `--credentials=${work}`,
    `--host-root=${work}`,
    "--metadata-url=none",
  ],
};
const INSTANCES: Readonly<Record<string, string>> = {
  coordinator: "pod-1",
  agent: "node-1",
  hub: "pod-2",
  syncer: "pod-3",
};

/** What the first failure of each says: a syncer asks hub and member for themselves before it watches anything. */
const FAILURES: Readonly<Record<string, readonly string[]>> = {
  coordinator: ["cause", "resource"],
  agent: ["cause", "resource"],
  hub: ["cause", "resource"],
  syncer: ["cause", "cluster"],
};

type Line = Record<string, unknown>;

/** Runs a program until it has logged something that `enough` accepts, ends it, and gives all lines. */
async function run(
  program: string,
  enough: (line: Line) => boolean,
  nodeArgs: readonly string[] = [],
): Promise<Line[]> {
  const flags = [...(FLAGS[program] ?? []), "--port=0", "--host=127.0.0.1", "--log-level=debug"];
  const child = spawn(process.execPath, [...nodeArgs, files.get(program) ?? "", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let rest = "";
  let isEnding = false;
  child.stdout.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split("\n");
    rest = parts.pop() ?? "";
    // Once: a second signal ends a program at once, and it says nothing more.
    if (!isEnding && parts.some((line) => enough(JSON.parse(line) as Line))) isEnding = child.kill("SIGTERM");
  });
  const [out] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

describe.each(PROGRAMS.map(({ name }) => name))("the %s", (program) => {
  test("logs one JSON object a line, each with the same first fields", async () => {
    const fields = FAILURES[program] ?? [];
    const isFailure = (line: Line): boolean => fields.every((field) => line[field] !== undefined);
    const lines = await run(program, isFailure);
    for (const line of lines) {
      expect(Object.keys(line).slice(0, 5)).toEqual(["time", "level", "message", "program", "instance"]);
      expect(line).toMatchObject({ program, instance: INSTANCES[program] });
      expect(new Date(String(line.time)).toISOString()).toBe(line.time);
      expect(["debug", "info", "warn", "error"]).toContain(line.level);
    }
    const messages = lines.map(({ message }) => message);
    expect(messages[0]).toBe(`The ${program} starts.`);
    expect(messages.at(-1)).toBe(`The ${program} has stopped.`);
    // What fails says so under the same names in all of them.
    const failed = lines.find(isFailure);
    for (const field of fields) expect(failed?.[field]).toEqual(expect.any(String));
  });

  test("logs a crash as a line like all others", async () => {
    const bug = path.join(work, "bug.js");
    // Throws after the first line that the program logs.
    writeFileSync(
      bug,
      `const write = process.stdout.write;
      process.stdout.write = (...args) => {
        process.stdout.write = write;
        setImmediate(() => { throw new Error("boom"); });
        return write.apply(process.stdout, args);
      };`,
    );
    const lines = await run(program, () => false, ["--require", bug]);
    expect(lines.at(-1)).toMatchObject({
      level: "error",
      message: "The program crashed. This is a bug.",
      program,
      instance: INSTANCES[program],
      error: { message: "boom" },
    });
  });
});
