/**
 * Stands for `@pulumi/pulumi` in the bundle (bundle.js), with only what the policy SDK needs to read properties.
 *
 * Reason: loading all of `@pulumi/pulumi` takes longer than evaluating a thousand resources.
 * Made for: @pulumi/policy 1.21.0, @pulumi/pulumi 3.248.0
 */
export * as asset from "@pulumi/pulumi/asset";

/** The properties that policies get hold no outputs. */
export const Output = { isInstance: (): boolean => false };
