"use strict";

// Loaded before the SDK (nodeargs in Pulumi.yaml), because the SDK keeps its own copy of `util.inspect`.
//
// The SDK shows an error with `util.inspect(error, { colors: true })`. To colour a frame of the SDK's own, such as
// `node_modules/@pulumi/output.ts:516:31`, Node 20 takes up to a minute (it looks for a slash after the scope that is not
// there, and grows the line until it is too long). Without colours the same error is there at once.

const util = require("node:util");

const inspect = util.inspect;

util.inspect = Object.assign(
  (value, options, ...rest) =>
    inspect(value, options?.colors === true ? { ...options, colors: false } : options, ...rest),
  inspect,
);

// The SDK keeps a stack with every promise, for those who look for promises that never end (PULUMI_DEBUG_PROMISE_LEAKS). Each
// was turned into lines of the sources when it was made: a fifth of the program's time.
if (process.env.PULUMI_DEBUG_PROMISE_LEAKS === undefined) {
  let prepare;
  const wrapped = new WeakSet();
  Object.defineProperty(Error, "prepareStackTrace", {
    configurable: true,
    get: () => prepare,
    set(given) {
      // Whoever sets another for a moment gives back the one that it found.
      if (typeof given !== "function" || wrapped.has(given)) prepare = given;
      else {
        prepare = (error, frames) =>
          frames[0]?.getFunctionName() === "debuggablePromise" ? "" : given(error, frames);
        wrapped.add(prepare);
      }
    },
  });
}
