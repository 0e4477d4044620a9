import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(__dirname, "../..");

/** Runs a script with some patches loaded first, as the language host does. */
function run(script: string, ...patches: readonly string[]): string {
  const loaded = patches.flatMap((patch) => ["--require", path.join(__dirname, patch)]);
  return execFileSync(process.execPath, [...loaded, "-e", script], { cwd: ROOT, encoding: "utf8" });
}

describe("plain-error-inspection", () => {
  const script = `process.stdout.write(require("@pulumi/pulumi/cmd/run/error").defaultErrorMessage(new TypeError("no")))`;

  it("is needed: the SDK shows errors in colour", () => {
    const source = readFileSync(require.resolve("@pulumi/pulumi/cmd/run/error"), "utf8");
    expect(source).toMatch(/inspect\(.*colors: true/s);
  });

  it("works: they are shown without", () => {
    const shown = run(script, "plain-error-inspection.js");
    expect(shown).toContain("TypeError: no");
    expect(shown).not.toContain("\u001b[");
  });
});

describe("skip-promise-stacks", () => {
  /** Counts the stack traces that are rendered while the SDK tracks promises. */
  const script = `
    const { debuggablePromise } = require("@pulumi/pulumi/runtime/debuggable");
    let rendered = 0;
    Error.prepareStackTrace = (error) => { rendered++; return String(error); };
    for (let index = 0; index < 10; index++) debuggablePromise(Promise.resolve(index), "test");
    process.stdout.write(String(rendered));`;

  it("is needed: the SDK renders a stack trace for every promise", () => {
    expect(run(script)).toBe("10");
  });

  it("works: with the patch it renders none", () => {
    expect(run(script, "skip-promise-stacks.js")).toBe("0");
  });
});

describe("load-when-used", () => {
  /** What of TypeScript and npm's dependency tree is in memory. */
  const loaded = `
    const loaded = () => ["typescript", "@npmcli/arborist"].filter((name) =>
      Object.keys(require.cache).some((file) => file.includes("/node_modules/" + name + "/lib/")));
    const pulumi = require("@pulumi/pulumi");`;

  it("is needed: the SDK loads TypeScript and npm's dependency tree with every program", () => {
    expect(run(`${loaded} process.stdout.write(String(loaded()))`)).toBe("typescript,@npmcli/arborist");
  });

  it("works: it loads neither", () => {
    expect(run(`${loaded} process.stdout.write(String(loaded()))`, "load-when-used.js")).toBe("");
  });

  it("works: a function is serialized as without the patch, with the packages that it needs", () => {
    const script = `${loaded}
      const captured = { name: "fleetwright" };
      Promise.all([
        pulumi.runtime.serializeFunction(() => captured.name.length),
        pulumi.runtime.computeCodePaths(),
      ]).then(([{ text }, paths]) =>
        process.stdout.write(JSON.stringify([text, [...paths.keys()].sort(), loaded()])));`;
    const shown = run(script, "load-when-used.js");
    expect(shown).toBe(run(script));
    expect(shown).toContain("captured");
    expect(shown).toContain("node_modules/js-yaml");
    expect(shown).toContain('["typescript","@npmcli/arborist"]');
  });
});
