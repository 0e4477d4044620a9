"use strict";

// What the engine starts for a pack: bundles the pack's pack.ts and runs the bundle, as run.js does for the program
// (docs/decisions/0003). Of several packs each preview starts every one, so the bundle is kept while none of the files that
// it was made from has changed.

const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const path = require("node:path");

/** Runs the pack in a folder. */
module.exports = function start(folder) {
  require(bundleOf(path.join(folder, "pack.ts")));
};

/** The bundle of an entry; the one that is there, if it is still what the files say. */
function bundleOf(entry) {
  // Beside the packages, so that the bundle finds them.
  const cache = path.join(__dirname, "..", "node_modules", ".cache", "fleetwright");
  const name = path.relative(__dirname, path.dirname(entry)) || "all";
  const bundle = path.join(cache, `policy-${name}.js`);
  const record = path.join(cache, `policy-${name}.json`);
  if (isFresh(record)) return bundle;
  mkdirSync(cache, { recursive: true });
  const { metafile, outputFiles } = require("esbuild").buildSync({
    entryPoints: [entry],
    outdir: cache,
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    logLevel: "error",
    metafile: true,
    write: false,
    absWorkingDir: __dirname,
  });
  const inputs = Object.keys(metafile.inputs).map((file) => path.resolve(__dirname, file));
  const files = Object.fromEntries([__filename, ...inputs].map((file) => [file, stateOf(file)]));
  replace(bundle, outputFiles[0].contents);
  replace(record, JSON.stringify(files));
  return bundle;
}

function isFresh(record) {
  try {
    return Object.entries(JSON.parse(readFileSync(record, "utf8"))).every(
      ([file, state]) => stateOf(file) === state,
    );
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
