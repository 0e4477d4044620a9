"use strict";

/*
 * Shows errors without colours. The SDK keeps its own reference to `util.inspect`, so this has to be loaded before it.
 *
 * Reason: the SDK shows an error with `util.inspect(error, { colors: true })`. To colour a frame of the SDK's own, such as
 * `node_modules/@pulumi/output.ts:516:31`, Node 20 takes up to a minute: it searches for a slash after the scope that is not
 * there. Without colours the error is shown at once.
 * Made for: @pulumi/pulumi 3.248.0
 */

const util = require("node:util");

const inspect = util.inspect;

util.inspect = Object.assign(
  (value, options, ...rest) =>
    inspect(value, options?.colors === true ? { ...options, colors: false } : options, ...rest),
  inspect,
);
