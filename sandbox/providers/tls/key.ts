import { createHash, createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { sshPublicKey } from "../ssh-key";

/** The algorithms of keys, under the names that the SDK uses. */
export const ALGORITHMS = ["RSA", "ECDSA", "ED25519"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

const CURVES = { P224: "secp224r1", P256: "prime256v1", P384: "secp384r1", P521: "secp521r1" } as const;

/** The elliptic curves of ECDSA keys, under the names that the SDK uses. */
export type Curve = keyof typeof CURVES;
export const CURVE_NAMES: readonly Curve[] = ["P224", "P256", "P384", "P521"];

const generate = promisify(generateKeyPair);

/** Makes a private key. */
export async function newKey(
  algorithm: Algorithm,
  options: { rsaBits: number; curve: Curve },
): Promise<KeyObject> {
  switch (algorithm) {
    case "RSA":
      return (await generate("rsa", { modulusLength: options.rsaBits })).privateKey;
    case "ECDSA":
      return (await generate("ec", { namedCurve: CURVES[options.curve] })).privateKey;
    case "ED25519":
      return (await generate("ed25519")).privateKey;
  }
}

/** The algorithm of a key. */
export function algorithmOf(key: KeyObject): Algorithm {
  const names: Readonly<Record<string, Algorithm>> = { rsa: "RSA", ec: "ECDSA", ed25519: "ED25519" };
  const found = names[key.asymmetricKeyType ?? ""];
  if (found !== undefined) return found;
  throw new Error(
    `A private key of type ${key.asymmetricKeyType ?? "unknown"} is not supported: use RSA, ECDSA or ED25519.`,
  );
}

/** A private key in the PEM form that is usual for its algorithm: PKCS#1, SEC 1 or PKCS#8. */
export function traditionalPem(key: KeyObject): string {
  const type = ({ RSA: "pkcs1", ECDSA: "sec1", ED25519: "pkcs8" } as const)[algorithmOf(key)];
  return key.export({ type, format: "pem" }).toString();
}

/** What the SDK tells of a key's public half. */
export interface PublicKeyFacts {
  readonly publicKeyPem: string;
  /** Empty for P224, which SSH does not know; so are the fingerprints. */
  readonly publicKeyOpenssh: string;
  readonly publicKeyFingerprintMd5: string;
  readonly publicKeyFingerprintSha256: string;
}

/** The public half of a private key, and the id that it gives the resource. */
export function publicKeyFacts(key: KeyObject): { id: string; facts: PublicKeyFacts } {
  const half = createPublicKey(key);
  const ssh = sshPublicKey(half);
  return {
    id: createHash("sha1")
      .update(half.export({ type: "spki", format: "der" }))
      .digest("hex"),
    facts: {
      publicKeyPem: half.export({ type: "spki", format: "pem" }).toString(),
      publicKeyOpenssh: ssh?.line ?? "",
      publicKeyFingerprintMd5: ssh?.fingerprintMd5 ?? "",
      publicKeyFingerprintSha256: ssh?.fingerprintSha256 ?? "",
    },
  };
}
