"use strict";

// Bundles main.ts with esbuild, as run.js does for the program (docs/decisions/0003). Every preview starts a pack, so the
// bundle is kept until a file that it was made from changes. An installed package has only the bundle, made by `npm pack`.

const {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} = require("node:fs");
const path = require("node:path");

const ENTRY = path.join(__dirname, "main.ts");
const PACKED = path.join(__dirname, "dist", "main.js");

/** The path of a bundle that is up to date. */
function bundle() {
  if (!existsSync(ENTRY)) return PACKED;
  const cache = path.join(__dirname, "..", "node_modules", ".cache", "fleetwright");
  const file = path.join(cache, "policy.js");
  const record = path.join(cache, "policy.json");
  if (isFresh(record)) return file;
  const { contents, inputs } = build();
  mkdirSync(cache, { recursive: true });
  replace(file, contents);
  replace(
    record,
    JSON.stringify(Object.fromEntries([__filename, ...inputs].map((input) => [input, stateOf(input)]))),
  );
  return file;
}

/** The bundle and the files that it was made from. Everything is in it: it needs no packages. */
function build() {
  const { metafile, outputFiles } = require("esbuild").buildSync({
    entryPoints: [ENTRY],
    outdir: __dirname,
    bundle: true,
    platform: "node",
    target: "node20",
    alias: sdkAliases(),
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "error",
    metafile: true,
    write: false,
    absWorkingDir: __dirname,
  });
  return {
    contents: outputFiles[0].contents,
    inputs: Object.keys(metafile.inputs).map((file) => path.resolve(__dirname, file)),
  };
}

/** Stand-ins for modules of the SDK (sdk-patches/minimal-*.ts). The longest name wins, so deeper modules are named too. */
function sdkAliases() {
  const kept = ["asset", "proto/analyzer_pb", "proto/analyzer_grpc_pb", "proto/plugin_pb"];
  return {
    ...Object.fromEntries(
      kept.map((name) => [`@pulumi/pulumi/${name}`, require.resolve(`@pulumi/pulumi/${name}`)]),
    ),
    "@pulumi/pulumi/runtime/rpc": path.join(__dirname, "sdk-patches", "minimal-pulumi-rpc.ts"),
    "@pulumi/pulumi": path.join(__dirname, "sdk-patches", "minimal-pulumi.ts"),
    "@grpc/grpc-js": path.join(__dirname, "sdk-patches", "minimal-grpc.ts"),
  };
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

/** Writes a file atomically: a pack that starts at the same time reads the old file or the new one. */
function replace(file, contents) {
  writeFileSync(`${file}.${process.pid}`, contents);
  renameSync(`${file}.${process.pid}`, file);
}

/** `node bundle.js`, run by `npm pack`: writes dist/main.js. */
function main() {
  mkdirSync(path.dirname(PACKED), { recursive: true });
  replace(PACKED, build().contents);
  chmodSync(path.join(__dirname, "fleetwright"), 0o755);
}

if (require.main === module) main();

module.exports = { build, bundle };
