"use strict";

// What the engine starts: bundles index.ts, which takes some tens of milliseconds, and runs the bundle. So there is no
// build step to forget, and an edited program starts faster than through ts-node (docs/decisions/0003).

const { createHash } = require("node:crypto");
const {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require("node:fs");
const path = require("node:path");
const { buildSync } = require("esbuild");

const DAY_MS = 24 * 3600 * 1000;

/** What somebody wrote beside the program to override parts of it (docs/how-to/own-settings.md), or nothing. */
function transforms() {
  const own = path.join(__dirname, "transforms.ts");
  return existsSync(own) ? own : path.join(__dirname, "components", "stack", "no-transforms.ts");
}

/** Bundles a program and gives the file. Its name is its content, so runs at the same time share it or differ. */
function bundle(name, entry) {
  const folder = path.join(__dirname, "node_modules", ".cache", "fleetwright");
  mkdirSync(folder, { recursive: true });
  const [output] = buildSync({
    entryPoints: [path.join(__dirname, entry)],
    outdir: folder,
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    alias: { "#transforms": transforms() },
    // Errors name the lines of index.ts: the map is read from the file when an error is shown.
    sourcemap: "inline",
    logLevel: "error",
    write: false,
  }).outputFiles;
  const file = path.join(
    folder,
    `${name}-${createHash("sha256").update(output.contents).digest("hex").slice(0, 16)}.js`,
  );
  if (!existsSync(file)) {
    for (const other of readdirSync(folder)) {
      const old = path.join(folder, other);
      if (other.startsWith(`${name}-`) && Date.now() - statSync(old).mtimeMs > DAY_MS)
        rmSync(old, { force: true });
    }
    writeFileSync(`${file}.${process.pid}`, output.contents);
    renameSync(`${file}.${process.pid}`, file);
  }
  return file;
}

// `node run.js tunnel` is what the program starts for itself (tunnel/open.ts).
const isTunnel = require.main === module && process.argv[2] === "tunnel";
module.exports = require(
  isTunnel ? bundle("tunnel", path.join("tunnel", "main.ts")) : bundle("program", "index.ts"),
);
