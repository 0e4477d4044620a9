import { z } from "zod";
import { SYSTEM_NAMESPACE } from "../names";
import { dnsLabelName, objectName, textLike } from "./text";

export { SYSTEM_NAMESPACE };

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
