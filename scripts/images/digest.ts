import { createHash } from "node:crypto";

/** SHA-256 in hexadecimal digits. */
export function sha256Of(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** A digest as OCI writes it. */
export function digestOf(content: Uint8Array | string): string {
  return `sha256:${sha256Of(content)}`;
}
