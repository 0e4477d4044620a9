import type { ConnectConfig } from "ssh2";
import { errorMessage } from "../../../lib/failure";
import { readPrivateKey, sshPrivateKey } from "../ssh-key";

/** Those that Go's SSH library reads, by the first line of a PEM text. */
const READ = ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY", "OPENSSH PRIVATE KEY"];
const OPENSSH_MAGIC = "openssh-key-v1\0";

/** Why Go's SSH library would not read a private key, from what stands in it; undefined if nothing is wrong. */
export function refusal(pem: string, passphrase: string | undefined): string | undefined {
  const [, type] = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(pem) ?? [];
  if (type === undefined) return "ssh: no key found";
  if (type === "OPENSSH PRIVATE KEY") {
    if (isLocked(pem)) return passphrase === undefined ? PROTECTED : undefined;
    return passphrase === undefined ? undefined : "ssh: key is not password protected";
  }
  const isEncrypted = /^Proc-Type: 4,ENCRYPTED/m.test(pem);
  // It knows no other encryption, not that of PKCS#8 either.
  if (passphrase !== undefined) return isEncrypted ? undefined : "ssh: not an encrypted key";
  if (isEncrypted) return PROTECTED;
  return READ.includes(type) ? undefined : `ssh: unsupported key type "${type}"`;
}

const PROTECTED = "ssh: this private key is passphrase protected";

/** A private key in a form that the SSH library reads; it does not know PKCS#8, which is how ED25519 keys come as PEM. */
export async function usableKey(pem: string, passphrase: string | undefined): Promise<ConnectConfig> {
  const refused = refusal(pem, passphrase);
  if (refused !== undefined) throw new Error(refused);
  const { utils } = await import("ssh2");
  const identity = pem.includes("-----BEGIN PRIVATE KEY-----")
    ? { privateKey: openSsh(pem) }
    : { privateKey: pem, ...(passphrase === undefined ? {} : { passphrase }) };
  const parsed = utils.parseKey(identity.privateKey, passphrase);
  if ("message" in parsed)
    throw new Error(
      passphrase === undefined ? `ssh: ${parsed.message}` : "x509: decryption password incorrect",
      { cause: parsed },
    );
  return identity;
}

function openSsh(pem: string): string {
  try {
    return sshPrivateKey(readPrivateKey(pem)) ?? pem;
  } catch (error) {
    throw new Error(`asn1: structure error: ${errorMessage(error)}`, { cause: error });
  }
}

/** Whether a key of OpenSSH's own form is encrypted: the name of its cipher comes first. */
function isLocked(pem: string): boolean {
  const bytes = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ""), "base64");
  const start = OPENSSH_MAGIC.length + 4;
  if (bytes.length < start) return false;
  return bytes.subarray(start, start + bytes.readUInt32BE(OPENSSH_MAGIC.length)).toString() !== "none";
}
