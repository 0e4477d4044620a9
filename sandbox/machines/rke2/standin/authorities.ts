import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { certifiedKey, daysFromNow, generateKey, type CertifiedKey } from "../../../controlplane/certificate";
import { readIfPresent, writePrivate } from "../../../../lib/files";
import type { Layout } from "./layout";

/** The authorities of a cluster, by the path of their files below `server/tls`. */
export const AUTHORITIES = [
  "server-ca",
  "client-ca",
  "request-header-ca",
  "etcd/server-ca",
  "etcd/peer-ca",
] as const;
/** One of them. */
export type AuthorityName = (typeof AUTHORITIES)[number];

/**
 * What every server of a cluster has in common and what nobody can make anew: the authorities, the key of service
 * account tokens and the key that encrypts secrets. It is kept in etcd, encrypted with the token.
 */
export type SharedFiles = Readonly<Record<string, string>>;

const SERVICE_KEY = "tls/service.key";
const ENCRYPTION = "cred/encryption-config.json";

/** The shared files, as paths below `server`. */
export const SHARED_FILES: readonly string[] = [
  ...AUTHORITIES.flatMap((name) => [`tls/${name}.crt`, `tls/${name}.key`]),
  SERVICE_KEY,
  ENCRYPTION,
];

/** Reads those of the shared files that are there. */
export async function readShared(layout: Layout): Promise<Partial<SharedFiles>> {
  const pairs = await Promise.all(
    SHARED_FILES.map(async (file) => [file, await readIfPresent(path.join(layout.server, file))] as const),
  );
  return Object.fromEntries(pairs.filter(([, text]) => text !== undefined));
}

/** Whether all of them are there. */
export function isComplete(files: Partial<SharedFiles>): files is SharedFiles {
  return SHARED_FILES.every((file) => files[file] !== undefined);
}

/** Writes the shared files of another server, of a snapshot, or new ones. */
export async function writeShared(layout: Layout, files: SharedFiles): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    if (!SHARED_FILES.includes(file)) continue;
    const target = path.join(layout.server, file);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await writePrivate(target, text);
  }
}

/** Makes what is missing; an authority that was put there beforehand is kept. */
export async function makeShared(
  found: Partial<SharedFiles>,
  encryption: "aescbc" | "secretbox",
): Promise<SharedFiles> {
  const files: Record<string, string> = {};
  for (const [file, text] of Object.entries(found)) if (text !== undefined) files[file] = text;
  const stamp = Math.floor(Date.now() / 1000);
  for (const name of AUTHORITIES) {
    if (files[`tls/${name}.crt`] !== undefined && files[`tls/${name}.key`] !== undefined) continue;
    const made = await certifiedKey({
      subject: { commonName: `rke2-${name.replace("/", "-")}@${stamp}` },
      usages: ["digitalSignature", "keyEncipherment", "certificateSigning"],
      authority: true,
      notAfter: daysFromNow(3650),
    });
    files[`tls/${name}.crt`] = made.certificate;
    files[`tls/${name}.key`] = made.key;
  }
  files[SERVICE_KEY] ??= await generateKey("rsa-2048");
  files[ENCRYPTION] ??= `${JSON.stringify(encryptionConfig(encryption))}\n`;
  return files;
}

/** One authority of the shared files. */
export function authorityOf(files: SharedFiles, name: AuthorityName): CertifiedKey {
  return { certificate: files[`tls/${name}.crt`] ?? "", key: files[`tls/${name}.key`] ?? "" };
}

function encryptionConfig(provider: "aescbc" | "secretbox"): unknown {
  const keys = [{ name: `${provider}key`, secret: randomBytes(32).toString("base64") }];
  return {
    kind: "EncryptionConfiguration",
    apiVersion: "apiserver.config.k8s.io/v1",
    resources: [{ resources: ["secrets"], providers: [{ [provider]: { keys } }, { identity: {} }] }],
  };
}
