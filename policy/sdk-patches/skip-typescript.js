"use strict";

/*
 * Replaces TypeScript and ts-node by nothing in a pack that the language host starts. Node loads this file first (nodeargs
 * in PulumiPolicy.yaml); a language host that does not pass nodeargs on only starts packs more slowly.
 *
 * Reason: the SDK loads both for every policy pack, also for one in JavaScript: a third of the time that a pack takes to start.
 * Made for: @pulumi/pulumi 3.248.0
 */

const { createRequire } = require("node:module");

const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));

/** Replaces a module, if it is installed. */
function replace(name, exports) {
  try {
    const filename = sdk.resolve(name);
    require.cache[filename] = { id: filename, filename, loaded: true, children: [], paths: [], exports };
  } catch {
    // It is not installed, so it will not be loaded either.
  }
}

const tsNode = { VERSION: "none", register: () => {} };
replace("typescript", { version: "5.0.0" });
replace("ts-node", tsNode);
replace("./vendor/typescript@3.8.3/typescript.js", { version: "5.0.0" });
replace("./vendor/ts-node@7.0.1", tsNode);
