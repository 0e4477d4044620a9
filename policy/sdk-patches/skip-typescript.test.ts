import { execFileSync } from "node:child_process";
import path from "node:path";

/** Whether the SDK loads TypeScript before it runs a pack. */
function loadsTypeScript(...nodeArguments: readonly string[]): boolean {
  const script = `
    require("@pulumi/pulumi/cmd/run-policy-pack/run").run({ typeScript: true, argv: { _: ["package.json"] }, programStarted() {}, reportLoggedError() {} });
    process.stdout.write(String(Object.keys(require.cache).some((file) => /typescript(@[\\d.]+)?\\/(lib\\/)?typescript\\.js$/.test(file) && Object.keys(require.cache[file].exports).length > 5)));
    process.exit(0);`;
  const output = execFileSync(process.execPath, [...nodeArguments, "-e", script], {
    cwd: path.join(__dirname, "..", ".."),
    encoding: "utf8",
  });
  return output.endsWith("true");
}

test("is needed: the SDK loads TypeScript for every pack", () => {
  expect(loadsTypeScript()).toBe(true);
});

test("works: with the patch it does not", () => {
  expect(loadsTypeScript("--require", path.join(__dirname, "skip-typescript.js"))).toBe(false);
});
