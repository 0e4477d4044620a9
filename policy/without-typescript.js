"use strict";

// Loaded before the SDK (nodeargs in PulumiPolicy.yaml). The SDK loads TypeScript and ts-node for every policy pack, whether
// or not it is one in TypeScript, which takes a third of the time that a pack needs to start. Ours come as JavaScript, so
// both are replaced by nothing. A language host that does not pass nodeargs on to node only starts packs more slowly.

const { createRequire } = require("node:module");

const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));

/** Puts something in the place of a module that may be there. */
function replace(name, exports) {
  try {
    const filename = sdk.resolve(name);
    require.cache[filename] = { id: filename, filename, loaded: true, children: [], paths: [], exports };
  } catch {
    // It is not installed, and will not be loaded either.
  }
}

const tsNode = { VERSION: "none", register: () => {} };
replace("typescript", { version: "5.0.0" });
replace("ts-node", tsNode);
replace("./vendor/typescript@3.8.3/typescript.js", { version: "5.0.0" });
replace("./vendor/ts-node@7.0.1", tsNode);
