import { createPublicKey, type KeyObject, webcrypto } from "node:crypto";
import type * as x509 from "@peculiar/x509";
import { sortUses } from "./uses";
import { x509Library } from "./x509-library";

/** A certificate to be issued. */
export interface CertificateOrder {
  readonly subject: x509.JsonNameParams | x509.Name;
  readonly issuer: x509.JsonNameParams | x509.Name;
  /** The owner's public key, as SPKI in DER form. */
  readonly publicKey: Buffer;
  readonly signingKey: KeyObject;
  readonly alternativeNames: x509.JsonGeneralNames;
  readonly uses: readonly string[];
  readonly authority: boolean;
  /** How many authorities may stand between this one and an end; undefined or -1: any number. */
  readonly maxPathLength?: number | undefined;
  readonly setSubjectKeyId: boolean;
  /** The key id of the issuer, in hexadecimal form, where the certificate shall tell it. */
  readonly authorityKeyId?: string | undefined;
  readonly notBefore: Date;
  readonly hours: number;
}

/** Issues a certificate. */
export async function issue(order: CertificateOrder): Promise<x509.X509Certificate> {
  const x509 = await x509Library();
  const { bits, extended } = sortUses(order.uses);
  const pathLength = order.authority && (order.maxPathLength ?? -1) >= 0 ? order.maxPathLength : undefined;
  const signing = await signer(order.signingKey);
  return x509.X509CertificateGenerator.create({
    subject: asName(x509, order.subject),
    issuer: asName(x509, order.issuer),
    publicKey: order.publicKey,
    signingKey: signing.key,
    signingAlgorithm: signing.algorithm,
    notBefore: order.notBefore,
    notAfter: new Date(order.notBefore.getTime() + order.hours * 3_600_000),
    extensions: [
      ...(isKeyUsage(bits) ? [new x509.KeyUsagesExtension(bits, true)] : []),
      ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension(extended)]),
      new x509.BasicConstraintsExtension(order.authority, pathLength, true),
      ...(order.authority || order.setSubjectKeyId
        ? [await x509.SubjectKeyIdentifierExtension.create(order.publicKey)]
        : []),
      ...(order.authorityKeyId === undefined
        ? []
        : [new x509.AuthorityKeyIdentifierExtension(order.authorityKeyId)]),
      ...alternativeNames(x509, order.alternativeNames, isEmpty(order.subject)),
    ],
  });
}

/** Makes a request for a certificate. */
export async function request(
  key: KeyObject,
  subject: x509.JsonNameParams,
  names: x509.JsonGeneralNames,
): Promise<x509.Pkcs10CertificateRequest> {
  const x509 = await x509Library();
  const signing = await signer(key);
  const spki = publicKeyOf(key);
  const publicKey = await webcrypto.subtle.importKey("spki", spki, signing.algorithm, true, ["verify"]);
  return x509.Pkcs10CertificateRequestGenerator.create({
    name: new x509.Name(subject),
    keys: { privateKey: signing.key, publicKey },
    signingAlgorithm: signing.algorithm,
    extensions: alternativeNames(x509, names, subject.length === 0),
  });
}

/** The public half of a private key, as SPKI in DER form. */
export function publicKeyOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: "spki", format: "der" });
}

/** The id of a certificate's own key, in hexadecimal form, where the certificate tells it. */
export async function keyIdOf(certificate: x509.X509Certificate): Promise<string | undefined> {
  const x509 = await x509Library();
  return certificate.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
}

/** The id that a certificate would give to a public key. */
export async function keyIdFor(publicKey: Buffer): Promise<string> {
  const x509 = await x509Library();
  return (await x509.SubjectKeyIdentifierExtension.create(publicKey)).keyId;
}

/** PEM with the line end that the official provider writes. */
export function pem(data: x509.X509Certificate | x509.Pkcs10CertificateRequest): string {
  return `${data.toString("pem").trimEnd()}\n`;
}

// RFC 5280, 4.2.1.6: without a subject, the alternative names are the subject and must be understood.
function alternativeNames(
  library: typeof x509,
  names: x509.JsonGeneralNames,
  critical: boolean,
): x509.Extension[] {
  return names.length === 0 ? [] : [new library.SubjectAlternativeNameExtension(names, critical)];
}

// The bits of the SDK's names are those of RFC 5280, and so are the library's.
function isKeyUsage(bits: number): bits is x509.KeyUsageFlags {
  return bits !== 0;
}

function asName(library: typeof x509, name: x509.JsonNameParams | x509.Name): x509.Name {
  return Array.isArray(name) ? new library.Name(name) : name;
}

function isEmpty(name: x509.JsonNameParams | x509.Name): boolean {
  return (Array.isArray(name) ? name : name.toJSON()).length === 0;
}

async function signer(key: KeyObject) {
  const algorithm = signingAlgorithm(key);
  const der = key.export({ type: "pkcs8", format: "der" });
  return { key: await webcrypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]), algorithm };
}

function signingAlgorithm(key: KeyObject) {
  switch (key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType) {
    case "rsa":
      return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    case "prime256v1":
      return { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    case "secp384r1":
      return { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" };
    case "secp521r1":
      return { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" };
    case "ed25519":
      return { name: "Ed25519" };
    case undefined:
    default:
      throw new Error(
        "A key on the curve P224 cannot sign certificates or requests in the sandbox. Set ecdsaCurve to P256, P384 or P521, or use the algorithm RSA or ED25519.",
      );
  }
}
