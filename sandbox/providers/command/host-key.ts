import type { ServerHostKeyAlgorithm } from "ssh2";

/** The key that a server must show. */
export interface ExpectedHostKey {
  readonly algorithm: string;
  readonly blob: Buffer;
}

const ALL_TYPES = [
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "rsa-sha2-512",
  "rsa-sha2-256",
  "ssh-rsa",
] as const;

/** Reads a host key written as in `authorized_keys` or in a server's `.pub` file: type, Base64, comment. */
export function parseHostKey(line: string): ExpectedHostKey {
  const [algorithm = "", base64 = ""] = line.trim().split(/\s+/);
  const blob = Buffer.from(base64, "base64");
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0;
  const inside = blob.subarray(4, 4 + length).toString();
  if (inside === algorithm && algorithm !== "") return { algorithm, blob };
  throw new Error("failed to parse host key: ssh: no key found");
}

/**
 * The key types to ask a server for: that of the expected key and no other, as the official provider does it. So a server with a key of
 * another type is refused, and one with an RSA key too, unless it still signs with SHA-1.
 */
export function hostKeyTypes(expected: ExpectedHostKey | undefined): ServerHostKeyAlgorithm[] {
  const types: readonly ServerHostKeyAlgorithm[] = ALL_TYPES;
  return expected === undefined ? [...types] : types.filter((type) => type === expected.algorithm);
}
