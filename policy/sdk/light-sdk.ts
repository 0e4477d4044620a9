/**
 * What of `@pulumi/pulumi` the policy SDK needs to read properties, for a bundle that leaves the rest out: loading all of it
 * takes longer than judging a thousand resources.
 */
export * as asset from "@pulumi/pulumi/asset";

/** Properties of resources that policies see hold no outputs. */
export const Output = { isInstance: (): boolean => false };
