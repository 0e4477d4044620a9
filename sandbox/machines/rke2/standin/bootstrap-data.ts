import { createCipheriv, createDecipheriv, createHash, pbkdf2Sync, randomBytes } from "node:crypto";
import { Failure } from "../../../../lib/failure";
import { isObject, parseJson } from "../../../../lib/json";
import type { SharedFiles } from "./authorities";

/** Below this key etcd holds the shared files, under a name that is made from the token. */
export const BOOTSTRAP_PREFIX = "/bootstrap/";
const TAG_LENGTH = 16;
const NONCE_LENGTH = 12;

/** The key of the shared files for one token password. */
export function bootstrapKey(password: string): string {
  return `${BOOTSTRAP_PREFIX}${createHash("sha256").update(password).digest("hex").slice(0, 12)}`;
}

/** Encrypts the shared files with the token, so that a copy of etcd is of no use without it. */
export function sealShared(files: SharedFiles, password: string): string {
  const salt = randomBytes(8).toString("hex");
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv("aes-256-gcm", keyOf(password, salt), nonce);
  const sealed = Buffer.concat([
    nonce,
    cipher.update(JSON.stringify(files), "utf8"),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return `${salt}:${sealed.toString("base64")}`;
}

/** Decrypts them; another token fails. */
export function openShared(text: string, password: string): SharedFiles {
  const [salt = "", body = ""] = text.split(":");
  const bytes = Buffer.from(body, "base64");
  const decipher = createDecipheriv("aes-256-gcm", keyOf(password, salt), bytes.subarray(0, NONCE_LENGTH));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_LENGTH));
  let plain: string;
  try {
    plain = Buffer.concat([
      decipher.update(bytes.subarray(NONCE_LENGTH, -TAG_LENGTH)),
      decipher.final(),
    ]).toString("utf8");
  } catch (error) {
    throw new Failure(
      "cipher: message authentication failed: the bootstrap data is encrypted with another token.",
      1,
      {
        cause: error,
      },
    );
  }
  const files = parseJson(plain);
  if (!isObject(files)) throw new Failure("The bootstrap data holds no files.");
  return Object.fromEntries(Object.entries(files).map(([name, value]) => [name, String(value)]));
}

/** Decides what the datastore's bootstrap keys mean for this token. */
export function bootstrapState(keys: readonly string[], password: string): "absent" | "ours" {
  if (keys.includes(bootstrapKey(password))) return "ours";
  if (keys.length === 0) return "absent";
  throw new Failure("bootstrap data already found and encrypted with different token");
}

function keyOf(password: string, salt: string): Buffer {
  return pbkdf2Sync(password, salt, 4096, 32, "sha1");
}
