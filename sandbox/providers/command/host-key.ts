import { sshFingerprint } from "../ssh-key";
import { type Endpoint, address } from "./connection";

/** A server that shows another key than the one that is expected. Dialling again does not make it another server. */
export class HostKeyMismatch extends Error {
  override readonly name = "HostKeyMismatch";
}

/** The key that a server must show. */
export interface ExpectedHostKey {
  readonly algorithm: string;
  readonly blob: Buffer;
}

const TYPES_OF: Readonly<Record<string, readonly string[]>> = {
  // An RSA key signs with any of these; the old name alone is refused by today's servers.
  "ssh-rsa": ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"],
};

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
  throw new Error(
    'connection.hostKey cannot be read: it must be a line such as "ssh-ed25519 AAAA…", as in a host\'s /etc/ssh/ssh_host_ed25519_key.pub (tls.PrivateKey gives it as publicKeyOpenssh).',
  );
}

/**
 * The key types to ask a server for. The expected one comes first so that a server that has it shows it; the others
 * stay, so that a server without it can be recognised by its fingerprint.
 */
export function hostKeyTypes(expected: ExpectedHostKey | undefined): (typeof ALL_TYPES)[number][] {
  if (expected === undefined) return [...ALL_TYPES];
  const first = TYPES_OF[expected.algorithm] ?? [expected.algorithm];
  return [
    ...ALL_TYPES.filter((type) => first.includes(type)),
    ...ALL_TYPES.filter((type) => !first.includes(type)),
  ];
}

/** What to say of a server that shows another key. */
export function mismatch(endpoint: Endpoint, expected: ExpectedHostKey, shown: Buffer): HostKeyMismatch {
  return new HostKeyMismatch(
    `${address(endpoint)} is not the expected machine: its host key has the fingerprint ${sshFingerprint(shown)}, ` +
      `but connection.hostKey has ${sshFingerprint(expected.blob)}. ` +
      "If the machine was replaced, give the new host key; otherwise something else answers at this address.",
  );
}
