import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { buildSync } from "esbuild";

const { dependencies } = JSON.parse(readFileSync(path.join(__dirname, "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};
const required = (text: string): string[] =>
  Array.from(text.matchAll(/(?:require|import)\("([^"./#][^"]*)"\)/g), ([, name = ""]) => name);

/** The packages that a program loads while it runs, wherever in it that is. */
function packagesOf(entry: string): string[] {
  const [output] = buildSync({
    entryPoints: [path.join(__dirname, entry)],
    bundle: true,
    packages: "external",
    platform: "node",
    alias: { "#transforms": path.join(__dirname, "components/stack/no-transforms.ts") },
    write: false,
  }).outputFiles;
  return required(output?.text ?? "");
}

test.each<[string, () => string[], string]>([
  ["run.js", () => required(readFileSync(path.join(__dirname, "run.js"), "utf8")), "esbuild"],
  ["the program", () => packagesOf("index.ts"), "@pulumi/aws"],
  ["the tunnel", () => packagesOf("tunnel/main.ts"), "ssh2"],
])("%s runs after npm ci --omit=dev: what it loads is a dependency", (_what, found, expected) => {
  const packages = found()
    .filter((name) => !name.startsWith("node:") && !builtinModules.includes(name))
    .map((name) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
    );
  expect(packages).toContain(expected);
  expect(packages.filter((name) => !(name in dependencies))).toEqual([]);
});
