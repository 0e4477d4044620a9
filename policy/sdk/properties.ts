import { hideTexts, isRecord } from "../judge/property";

/** The SDK's own module, in which what reads properties can be replaced. */
interface Deserialize {
  deserializeProperties?: Read;
}
type Read = (struct: object, keepSecrets: boolean) => object;

/**
 * Lets policies know secrets from other values, which the SDK (1.21.0) lays open before it asks them, so that messages can
 * never hold one; and reads each resource once, where the SDK reads it again for every policy. The SDK itself keeps secrets
 * wrapped when it asks for repairs; this asks it for the same here. In another version there may be nothing to replace: then
 * policies are slower, and show no texts at all.
 */
export function keepSecrets(): void {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would give a copy, in which nothing can be replaced
  const sdk = require("@pulumi/policy/deserialize") as Deserialize;
  const read = sdk.deserializeProperties;
  if (read === undefined) hideTexts();
  if (read === undefined || kept.has(sdk)) return;
  kept.add(sdk);
  const known = new WeakMap<object, object>();
  sdk.deserializeProperties = (struct, isRepair) => {
    // What is repaired is changed, and so never shared.
    if (isRepair) return read(struct, true);
    const before = known.get(struct);
    if (before !== undefined) return before;
    const properties = read(struct, true);
    known.set(struct, properties);
    return properties;
  };
}

const kept = new WeakSet<object>();

/** What lies behind the proxies in which the SDK hands out properties: with unknown values and secrets still marked. */
export function behindProxies(properties: unknown): Readonly<Record<string, unknown>> {
  let value = properties;
  while (isRecord(value) && value.__isSpecialProxy === true) value = value.__getSpecialProxyTarget;
  return isRecord(value) ? value : {};
}
