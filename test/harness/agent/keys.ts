import { createHash } from "node:crypto";

/** A well-formed Ed25519 public key that follows from a seed. Nobody has its private half. */
export function publicKey(seed: string, comment = seed): string {
  const name = Buffer.from("ssh-ed25519");
  const point = createHash("sha256").update(seed).digest();
  const field = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  return `ssh-ed25519 ${Buffer.concat([field(name), field(point)]).toString("base64")} ${comment}`;
}
