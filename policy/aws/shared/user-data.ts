import type { Property } from "../../core/property";
import { LAUNCH_TEMPLATE } from "./resource-types";

/** The user data of an instance or launch template, decoded, and the property that holds it. */
export function userDataOf(type: string, inputs: Property): { property: Property; text: string } | undefined {
  const plain = inputs.at("userData");
  const encoded = type === LAUNCH_TEMPLATE ? plain : inputs.at("userDataBase64");
  const base64 = encoded.text();
  if (base64 !== undefined)
    return { property: encoded, text: Buffer.from(base64, "base64").toString("utf8") };
  const text = plain.text();
  return text === undefined ? undefined : { property: plain, text };
}
