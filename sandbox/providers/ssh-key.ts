import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes } from "node:crypto";

const CURVES: Readonly<Record<string, string>> = {
  "P-256": "nistp256",
  "P-384": "nistp384",
  "P-521": "nistp521",
};
const BLOCK = 8;
const PEM_COLUMNS = 64;

/** A public key as SSH knows it. */
export interface SshPublicKey {
  /** As it stands in `authorized_keys`, with a line end. */
  readonly line: string;
  readonly fingerprintSha256: string;
  readonly fingerprintMd5: string;
}

/** The SSH form of a public key, or undefined where SSH has none: the curve P-224. */
export function sshPublicKey(key: KeyObject): SshPublicKey | undefined {
  const parts = publicParts(key);
  if (parts === undefined) return undefined;
  const blob = Buffer.concat(parts.map(field));
  const type = parts[0]?.toString() ?? "";
  return {
    line: `${type} ${blob.toString("base64")}\n`,
    fingerprintSha256: sshFingerprint(blob),
    fingerprintMd5: createHash("md5")
      .update(blob)
      .digest("hex")
      .replace(/..(?=.)/g, "$&:"),
  };
}

/** The fingerprint of an SSH public key blob, as `ssh-keygen -l` writes it. */
export function sshFingerprint(blob: Buffer): string {
  return `SHA256:${createHash("sha256").update(blob).digest("base64").replace(/=+$/, "")}`;
}

/** The OpenSSH form of a private key, or undefined where SSH has none: the curve P-224. */
export function sshPrivateKey(key: KeyObject): string | undefined {
  const publicFields = publicParts(createPublicKey(key));
  const privateFields = privateParts(key);
  if (publicFields === undefined || privateFields === undefined) return undefined;
  const check = randomBytes(4);
  const secret = Buffer.concat([check, check, ...privateFields.map(field), field(Buffer.alloc(0))]);
  const padding = Buffer.from(
    Array.from({ length: (BLOCK - (secret.length % BLOCK)) % BLOCK }, (_, i) => i + 1),
  );
  const none = Buffer.from("none");
  const one = Buffer.from([0, 0, 0, 1]);
  const bytes = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    ...[none, none, Buffer.alloc(0)].map(field),
    one,
    field(Buffer.concat(publicFields.map(field))),
    field(Buffer.concat([secret, padding])),
  ]);
  const lines = bytes.toString("base64").match(new RegExp(`.{1,${PEM_COLUMNS}}`, "g")) ?? [];
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join("\n")}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

/** Reads a private key in PEM (PKCS#1, SEC 1, PKCS#8) form. */
export function readPrivateKey(pem: string, passphrase?: string): KeyObject {
  return createPrivateKey({ key: pem, ...(passphrase === undefined ? {} : { passphrase }) });
}

function publicParts(key: KeyObject): Buffer[] | undefined {
  const jwk = exported(key);
  if (jwk === undefined) return undefined;
  if (jwk.kty === "RSA") return [Buffer.from("ssh-rsa"), integer(jwk.e), integer(jwk.n)];
  if (jwk.kty === "OKP" && jwk.crv === "Ed25519") return [Buffer.from("ssh-ed25519"), bytes(jwk.x)];
  const curve = CURVES[jwk.crv ?? ""];
  if (curve === undefined) return undefined;
  return [Buffer.from(`ecdsa-sha2-${curve}`), Buffer.from(curve), point(jwk.x, jwk.y)];
}

function privateParts(key: KeyObject): Buffer[] | undefined {
  const jwk = exported(key);
  if (jwk === undefined) return undefined;
  if (jwk.kty === "RSA") {
    return [Buffer.from("ssh-rsa"), ...[jwk.n, jwk.e, jwk.d, jwk.qi, jwk.p, jwk.q].map(integer)];
  }
  if (jwk.kty === "OKP" && jwk.crv === "Ed25519") {
    return [Buffer.from("ssh-ed25519"), bytes(jwk.x), Buffer.concat([bytes(jwk.d), bytes(jwk.x)])];
  }
  const curve = CURVES[jwk.crv ?? ""];
  if (curve === undefined) return undefined;
  return [Buffer.from(`ecdsa-sha2-${curve}`), Buffer.from(curve), point(jwk.x, jwk.y), integer(jwk.d)];
}

/** The numbers of a key; Node has no JSON form for curves that the web does not know. */
function exported(key: KeyObject) {
  return key.asymmetricKeyDetails?.namedCurve === "secp224r1" ? undefined : key.export({ format: "jwk" });
}

function bytes(base64url: string | undefined): Buffer {
  return Buffer.from(base64url ?? "", "base64url");
}

function point(x: string | undefined, y: string | undefined): Buffer {
  return Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)]);
}

/** A number of SSH: big endian, without leading zeros, with one where the first bit would make it negative. */
function integer(base64url: string | undefined): Buffer {
  const raw = bytes(base64url);
  const first = raw.findIndex((byte) => byte !== 0);
  const trimmed = first < 0 ? Buffer.alloc(0) : raw.subarray(first);
  return (trimmed[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed;
}

function field(value: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, value]);
}
