"use strict";

const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const esbuild = require("esbuild");

const PARTS = require.resolve("../../scripts/images/kubernetes-client-exports.json");
const partsOfClient = require(PARTS);
const self = [__filename, PARTS]
  .reduce((hash, file) => hash.update(readFileSync(file)), createHash("sha256"))
  .update(esbuild.version)
  .digest("hex");

/** The source of a file; of the Kubernetes client only what our programs use, since every test file loads it anew. */
function sourceOf(source, path) {
  const parts = partsOfClient[path.split("/@kubernetes/client-node/dist/")[1]];
  return parts === undefined ? source : parts.map((part) => `export * from "${part}";`).join("\n");
}

/** Turns TypeScript and ES modules into CommonJS for jest; types are checked by `npm run typecheck`. */
module.exports = {
  process(source, path) {
    const { code, map } = esbuild.transformSync(sourceOf(source, path), {
      loader: path.endsWith("ts") ? "ts" : "js",
      format: "cjs",
      target: "node20",
      platform: "node",
      sourcefile: path,
      sourcemap: "external",
      supported: { "dynamic-import": false },
      tsconfigRaw: { compilerOptions: { esModuleInterop: true } },
    });
    return { code, map };
  },
  getCacheKey(source, path) {
    return createHash("sha256")
      .update(self)
      .update("\0")
      .update(path)
      .update("\0")
      .update(source)
      .digest("hex");
  },
};
