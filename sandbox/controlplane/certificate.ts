import "reflect-metadata";
import { createPrivateKey, createPublicKey, KeyObject, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(webcrypto);

/** The kinds of private key that can be made and can sign. */
export type KeyKind = "ecdsa-p256" | "ecdsa-p384" | "rsa-2048" | "rsa-4096" | "ed25519";

/** What a certificate may be used for: the key usages and extended key usages of RFC 5280 that matter for TLS. */
export type CertificateUsage =
  | "digitalSignature"
  | "keyEncipherment"
  | "keyAgreement"
  | "certificateSigning"
  | "crlSigning"
  | "serverAuth"
  | "clientAuth"
  | "codeSigning";

/** The distinguished name of whom a certificate speaks for. */
export interface CertificateSubject {
  commonName: string;
  organizations?: readonly string[];
}

/** The names by which a server is reached. */
export interface SubjectNames {
  dns?: readonly string[];
  ips?: readonly string[];
  uris?: readonly string[];
  emails?: readonly string[];
}

/** The contents of a certificate. */
export interface CertificateRequest {
  subject: CertificateSubject;
  usages: readonly CertificateUsage[];
  names?: SubjectNames;
  /** Whether it may sign other certificates. @default false */
  authority?: boolean;
  /** @default one minute ago, so that a clock that is a little late still accepts it */
  notBefore?: Date;
  notAfter: Date;
}

/** A certificate and the private key that belongs to it, both as PEM. */
export interface CertifiedKey {
  certificate: string;
  key: string;
}

const generation = {
  "ecdsa-p256": { name: "ECDSA", namedCurve: "P-256" },
  "ecdsa-p384": { name: "ECDSA", namedCurve: "P-384" },
  "rsa-2048": rsa(2048),
  "rsa-4096": rsa(4096),
  ed25519: { name: "Ed25519" },
} as const satisfies Record<KeyKind, object>;

const keyUsages = new Map<CertificateUsage, x509.KeyUsageFlags>([
  ["digitalSignature", x509.KeyUsageFlags.digitalSignature],
  ["keyEncipherment", x509.KeyUsageFlags.keyEncipherment],
  ["keyAgreement", x509.KeyUsageFlags.keyAgreement],
  ["certificateSigning", x509.KeyUsageFlags.keyCertSign],
  ["crlSigning", x509.KeyUsageFlags.cRLSign],
]);

const extendedUsages = new Map<CertificateUsage, x509.ExtendedKeyUsage>([
  ["serverAuth", x509.ExtendedKeyUsage.serverAuth],
  ["clientAuth", x509.ExtendedKeyUsage.clientAuth],
  ["codeSigning", x509.ExtendedKeyUsage.codeSigning],
]);

/** Makes a private key, as PKCS#8 PEM. */
export async function generateKey(kind: KeyKind = "ecdsa-p256"): Promise<string> {
  const pair = await webcrypto.subtle.generateKey(generation[kind], true, ["sign", "verify"]);
  if (!("privateKey" in pair)) {
    throw new Error(`The key kind ${kind} returned no key pair.`);
  }
  return KeyObject.from(pair.privateKey).export({ type: "pkcs8", format: "pem" }).toString();
}

/** The public half of a private key, as SPKI PEM. */
export function publicKeyOf(key: string): string {
  return createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
}

/** Issues a certificate for `key`, signed by `issuer`, or by itself where no issuer is given. */
export async function issueCertificate(
  key: string,
  request: CertificateRequest,
  issuer?: CertifiedKey,
): Promise<string> {
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const parent = issuer === undefined ? undefined : new x509.X509Certificate(issuer.certificate);
  const signing = await signingKey(issuer?.key ?? key);
  const subject = subjectName(request.subject);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: parent?.subjectName ?? subject,
    notBefore: request.notBefore ?? new Date(Date.now() - 60_000),
    notAfter: earlier(request.notAfter, parent?.notAfter),
    publicKey: spki,
    signingKey: signing.key,
    signingAlgorithm: signing.algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(request.authority ?? false, undefined, true),
      ...usageExtensions(request.usages),
      ...nameExtensions(request.names ?? {}),
      await x509.SubjectKeyIdentifierExtension.create(spki),
      await x509.AuthorityKeyIdentifierExtension.create(parent?.publicKey ?? spki),
    ],
  });
  return `${certificate.toString("pem")}\n`;
}

/** Makes a new key and a certificate for it. */
export async function certifiedKey(
  request: CertificateRequest,
  issuer?: CertifiedKey,
  kind: KeyKind = "ecdsa-p256",
): Promise<CertifiedKey> {
  const key = await generateKey(kind);
  return { key, certificate: await issueCertificate(key, request, issuer) };
}

/** The time `days` from now. */
export function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * 24 * 3600 * 1000);
}

function rsa(modulusLength: number) {
  const publicExponent = new Uint8Array([1, 0, 1]);
  return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength, publicExponent } as const;
}

async function signingKey(pem: string): Promise<{ key: webcrypto.CryptoKey; algorithm: { name: string } }> {
  const key = createPrivateKey(pem);
  const algorithm = signingAlgorithm(key);
  const der = key.export({ type: "pkcs8", format: "der" });
  return { key: await webcrypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]), algorithm };
}

function signingAlgorithm(key: KeyObject) {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (curve === "prime256v1") return { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  if (curve === "secp384r1") return { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" };
  if (key.asymmetricKeyType === "rsa") return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  if (key.asymmetricKeyType === "ed25519") return { name: "Ed25519" };
  throw new Error(
    `A private key of type ${key.asymmetricKeyType ?? "unknown"} (curve ${curve ?? "none"}) cannot sign certificates here. ` +
      `Use one of ${Object.keys(generation).join(", ")}.`,
  );
}

// Organizations come first, as kubeadm writes them.
function subjectName(subject: CertificateSubject): x509.JsonName {
  return [...(subject.organizations ?? []).map((name) => ({ O: [name] })), { CN: [subject.commonName] }];
}

function usageExtensions(usages: readonly CertificateUsage[]): x509.Extension[] {
  const flags = usages.flatMap((usage) => keyUsages.get(usage) ?? []);
  const extended = usages.flatMap((usage) => extendedUsages.get(usage) ?? []);
  return [
    ...(flags.length === 0 ? [] : [new x509.KeyUsagesExtension(flags.reduce(union), true)]),
    ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension(extended)]),
  ];
}

function union(one: x509.KeyUsageFlags, other: x509.KeyUsageFlags): x509.KeyUsageFlags {
  return one | other;
}

function nameExtensions(names: SubjectNames): x509.Extension[] {
  const entries: x509.JsonGeneralNames = [
    ...(names.dns ?? []).map((value) => ({ type: "dns" as const, value })),
    ...(names.ips ?? []).map((value) => ({ type: "ip" as const, value })),
    ...(names.uris ?? []).map((value) => ({ type: "url" as const, value })),
    ...(names.emails ?? []).map((value) => ({ type: "email" as const, value })),
  ];
  return entries.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(entries)];
}

// A certificate that outlives its issuer would only fail later, with a message that names the wrong one.
function earlier(wanted: Date, limit: Date | undefined): Date {
  return limit !== undefined && limit < wanted ? limit : wanted;
}
