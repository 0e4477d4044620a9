"use strict";

/*
 * Skips the stack traces that the SDK keeps of every promise.
 *
 * Reason: they are for finding promises that never settle (PULUMI_DEBUG_PROMISE_LEAKS), and mapping each one to source lines
 * takes a fifth of the program's time.
 * Made for: @pulumi/pulumi 3.248.0
 */

if (process.env.PULUMI_DEBUG_PROMISE_LEAKS === undefined) {
  let prepare;
  const wrapped = new WeakSet();
  Object.defineProperty(Error, "prepareStackTrace", {
    configurable: true,
    get: () => prepare,
    set(given) {
      // Code that replaces the function for a short time sets back the one that it found.
      if (typeof given !== "function" || wrapped.has(given)) prepare = given;
      else {
        prepare = (error, frames) =>
          frames[0]?.getFunctionName() === "debuggablePromise" ? "" : given(error, frames);
        wrapped.add(prepare);
      }
    },
  });
}
