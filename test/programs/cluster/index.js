"use strict";

// Bundles program.js with the repository's own TypeScript, wherever a test has copied this folder to: the packages are
// linked from the repository, and so lead back to it.

const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { buildSync } = require("esbuild");

const repository = dirname(dirname(dirname(require.resolve("esbuild/package.json"))));
const cache = join(repository, "node_modules", ".cache");
mkdirSync(cache, { recursive: true });
const [output] = buildSync({
  entryPoints: [join(__dirname, "program.js")],
  alias: { fleetwright: repository },
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  sourcemap: "inline",
  logLevel: "error",
  outdir: cache,
  write: false,
}).outputFiles;
// Beside the packages, so that they are found from there.
const folder = mkdtempSync(join(cache, "cluster-program-"));
const file = join(folder, "index.js");
writeFileSync(file, output.contents);
try {
  module.exports = require(file);
} finally {
  rmSync(folder, { recursive: true });
}
