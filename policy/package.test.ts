import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(__dirname, "..");

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const read = (file: string): Manifest => JSON.parse(readFileSync(path.join(ROOT, file), "utf8")) as Manifest;

test("has the versions of the project, so that npm nests no package in policy/", () => {
  const { dependencies, devDependencies } = read("package.json");
  const all = { ...devDependencies, ...dependencies };
  for (const [name, version] of Object.entries(read("policy/package.json").dependencies))
    expect([name, all[name] ?? version]).toEqual([name, version]);
  // The language host takes every Pulumi package below the project for one of the program's.
  expect(existsSync(path.join(ROOT, "policy/node_modules/@pulumi"))).toBe(false);
});
