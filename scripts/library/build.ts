// Builds the library into dist/: one JavaScript file with the components and what they share with the rest of the project,
// and type declarations. `npm pack` runs it. Packages stay outside: the library brings no copy of Pulumi's SDKs.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { buildSync } from "esbuild";

const ROOT = path.resolve(__dirname, "../..");

rmSync(path.join(ROOT, "dist"), { recursive: true, force: true });
buildSync({
  entryPoints: [path.join(ROOT, "components/index.ts")],
  outfile: path.join(ROOT, "dist/index.js"),
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  sourcemap: "linked",
  logLevel: "error",
});
execFileSync(
  process.execPath,
  [require.resolve("typescript/bin/tsc"), "--project", path.join(ROOT, "tsconfig.library.json")],
  { cwd: ROOT, stdio: ["ignore", process.stderr, process.stderr] },
);
