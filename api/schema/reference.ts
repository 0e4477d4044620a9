import { z } from "zod";
import { dnsLabelName, objectName, textLike } from "./text";

/** The namespace in which the product and what it reads live. */
export const SYSTEM_NAMESPACE = "fleetwright-system";

/** A key in the data of a Secret or ConfigMap. */
export function dataKey(): z.ZodString {
  return textLike(253, "[-._a-zA-Z0-9]+", `the key must consist of letters, digits, "-", "_" and "."`);
}

/** The fields by which a Secret or ConfigMap is named. */
export function referenceFields(what: string, namespace = SYSTEM_NAMESPACE) {
  return {
    name: objectName(`the ${what}'s name`).describe(`The ${what}'s name.`),
    namespace: dnsLabelName(`the ${what}'s namespace`)
      .default(namespace)
      .describe(`The ${what}'s namespace.`),
  };
}

/** Names a Secret or ConfigMap as a whole. */
export function referenceTo(what: "Secret" | "ConfigMap", namespace = SYSTEM_NAMESPACE) {
  return z.strictObject(referenceFields(what, namespace));
}
