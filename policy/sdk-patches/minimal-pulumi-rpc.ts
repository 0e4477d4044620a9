/**
 * Stands for `@pulumi/pulumi/runtime/rpc` in the bundle (bundle.js): the keys that the policy SDK reads from there.
 *
 * Reason: the module loads the whole runtime.
 * Made for: @pulumi/policy 1.21.0, @pulumi/pulumi 3.248.0
 */
export const specialSigKey = "4dabf18193072939515e22adb298388d";
export const specialAssetSig = "c44067f5952c0a294b673a41bacd8c17";
export const specialArchiveSig = "0def7320c3a5731c473e5ecbe6d01bc7";
export const specialSecretSig = "1b47061264138c4ac30d75fd1eb44270";
