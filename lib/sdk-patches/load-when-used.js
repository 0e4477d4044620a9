"use strict";

/*
 * Loads TypeScript and npm's dependency tree only when something of them is used.
 *
 * Reason: the SDK loads both with every program, to serialize functions for dynamic providers and to find the packages that
 * these need. Together they are two thirds of what loading `@pulumi/pulumi` takes, and a program without such functions never
 * uses them.
 * Made for: @pulumi/pulumi 3.248.0
 */

const Module = require("node:module");

/** What is put off: a module, and which modules of the SDK may ask for it. */
const POSTPONED = [
  { request: /(^|\/)typescript-shim$/, by: /[\\/]@pulumi[\\/]pulumi[\\/]runtime[\\/]closure[\\/]/ },
  { request: /^@npmcli\/arborist$/, by: /[\\/]@pulumi[\\/]pulumi[\\/]runtime[\\/]closure[\\/]/ },
];

const load = Module._load;

Module._load = function (request, parent, ...rest) {
  const isPostponed = POSTPONED.some(
    (one) => one.request.test(request) && one.by.test(parent?.filename ?? ""),
  );
  if (!isPostponed) return load.call(this, request, parent, ...rest);
  const real = () => load.call(this, request, parent, ...rest);
  return new Proxy(
    {},
    {
      // Compiled `import *` copies the members of a module that is not marked like this, and would load it.
      get: (_, name) => (name === "__esModule" ? true : Reflect.get(real(), name)),
      has: (_, name) => Reflect.has(real(), name),
    },
  );
};
