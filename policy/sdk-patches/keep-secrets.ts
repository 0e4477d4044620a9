/**
 * Keeps secrets apart from other values, and reads each resource once.
 *
 * Reason: the SDK unwraps secrets before it calls policies, so any message could show one; and it deserializes a resource
 * again for every policy. For remediations it keeps secrets wrapped: this asks it to do so always.
 * Made for: @pulumi/policy 1.21.0
 */
import { hideTexts, isRecord } from "../core/property";

/** The SDK's module whose function is replaced. */
interface Deserialize {
  deserializeProperties?: Read;
}
type Read = (struct: object, keepSecrets: boolean) => object;

const patched = new WeakSet<object>();

/** Applies the patch, once. If the SDK has no such function any more, no text is ever shown. */
export function keepSecrets(): void {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would give a copy, in which nothing can be replaced
  const sdk = require("@pulumi/policy/deserialize") as Deserialize;
  const read = sdk.deserializeProperties;
  if (read === undefined) hideTexts();
  if (read === undefined || patched.has(sdk)) return;
  patched.add(sdk);
  const known = new WeakMap<object, object>();
  sdk.deserializeProperties = (struct, isRemediation) => {
    // A remediation changes the properties, so they are never shared.
    if (isRemediation) return read(struct, true);
    const before = known.get(struct);
    if (before !== undefined) return before;
    const properties = read(struct, true);
    known.set(struct, properties);
    return properties;
  };
}

/** The properties behind the SDK's proxies, with unknown values and secrets still marked. */
export function behindProxies(properties: unknown): Readonly<Record<string, unknown>> {
  let value = properties;
  while (isRecord(value) && value.__isSpecialProxy === true) value = value.__getSpecialProxyTarget;
  return isRecord(value) ? value : {};
}
