"use strict";

// What the engine starts for a pack: bundles it and runs the bundle, as run.js does for the program
// (docs/decisions/0003). Every preview starts a pack, so the bundle is kept while none of the files that it was made from
// has changed.

const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const path = require("node:path");

/** Runs the pack in a folder, in a process that a language host started. */
function start(folder) {
  const name = path.relative(__dirname, folder) || "all";
  require(bundleOf(name, path.join(folder, "pack.ts"), { packages: "external" }));
}

/** Runs all packs in a process that the engine started: without the SDK's parts that only programs need. */
function startQuickly() {
  // The SDK finds the pack's version in the working directory's package.json.
  process.chdir(__dirname);
  require(bundleOf("quick", path.join(__dirname, "quick.ts"), { alias: lightSdk(), sourcemap: false }));
}

/** What stands for which module: the longer name counts, so that only the package itself is replaced. */
function lightSdk() {
  const kept = ["asset", "proto/analyzer_pb", "proto/analyzer_grpc_pb", "proto/plugin_pb"];
  return {
    ...Object.fromEntries(
      kept.map((name) => [`@pulumi/pulumi/${name}`, require.resolve(`@pulumi/pulumi/${name}`)]),
    ),
    "@pulumi/pulumi/runtime/rpc": path.join(__dirname, "sdk", "light-marks.ts"),
    "@pulumi/pulumi": path.join(__dirname, "sdk", "light-sdk.ts"),
  };
}

/** The bundle of an entry; the one that is there, if it is still what the files say. */
function bundleOf(name, entry, options) {
  // Beside the packages, so that the bundle finds them.
  const cache = path.join(__dirname, "..", "node_modules", ".cache", "fleetwright");
  const bundle = path.join(cache, `policy-${name}.js`);
  const record = path.join(cache, `policy-${name}.json`);
  if (isFresh(record)) return bundle;
  mkdirSync(cache, { recursive: true });
  const { metafile, outputFiles } = require("esbuild").buildSync({
    entryPoints: [entry],
    outdir: cache,
    bundle: true,
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    logLevel: "error",
    metafile: true,
    write: false,
    absWorkingDir: __dirname,
    ...options,
  });
  const inputs = Object.keys(metafile.inputs).map((file) => path.resolve(__dirname, file));
  const files = Object.fromEntries([__filename, ...inputs].map((file) => [file, stateOf(file)]));
  replace(bundle, outputFiles[0].contents);
  replace(record, JSON.stringify(files));
  return bundle;
}

function isFresh(record) {
  try {
    const files = Object.entries(JSON.parse(readFileSync(record, "utf8")));
    return files.every(([file, state]) => stateOf(file) === state);
  } catch {
    return false;
  }
}

function stateOf(file) {
  const { mtimeMs, size } = statSync(file);
  return `${mtimeMs} ${size}`;
}

/** Writes a file at once: another pack that starts now sees the old one or the new one. */
function replace(file, contents) {
  writeFileSync(`${file}.${process.pid}`, contents);
  renameSync(`${file}.${process.pid}`, file);
}

module.exports = { start, startQuickly };
