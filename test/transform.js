"use strict";

const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const esbuild = require("esbuild");

const self = createHash("sha256").update(readFileSync(__filename)).update(esbuild.version).digest("hex");

/** Turns TypeScript and ES modules into CommonJS for jest; types are checked by `npm run typecheck`. */
module.exports = {
  process(source, path) {
    const { code, map } = esbuild.transformSync(source, {
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
