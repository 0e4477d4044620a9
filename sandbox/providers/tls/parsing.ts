import { createPublicKey, type KeyObject } from "node:crypto";
import type * as x509 from "@peculiar/x509";
import { errorMessage } from "../../../lib/failure";
import { x509Library } from "./x509-library";

/** A certificate that signs others. */
export interface Authority {
  readonly certificate: x509.X509Certificate;
  readonly isAuthority: boolean;
  /** Whether a private key is the one of this certificate. */
  ownsKey(key: KeyObject): boolean;
}

/** What a request asks to have certified. */
export interface RequestedNames {
  readonly subject: x509.Name;
  readonly publicKey: Buffer;
  readonly alternativeNames: x509.JsonGeneralNames;
}

/** Reads the certificate of an authority. */
export async function readCertificate(property: string, pem: string): Promise<Authority> {
  const x509 = await x509Library();
  const certificate = parsed(property, "CERTIFICATE", pem, (text) => new x509.X509Certificate(text));
  const own = Buffer.from(certificate.publicKey.rawData);
  return {
    certificate,
    isAuthority: certificate.getExtension(x509.BasicConstraintsExtension)?.ca === true,
    ownsKey: (key) => createPublicKey(key).export({ type: "spki", format: "der" }).equals(own),
  };
}

/** Reads a request for a certificate. Of what it asks, only who it is for counts; the rest is the authority's choice. */
export async function readRequest(property: string, pem: string): Promise<RequestedNames> {
  const x509 = await x509Library();
  const request = parsed(
    property,
    "CERTIFICATE REQUEST",
    pem,
    (text) => new x509.Pkcs10CertificateRequest(text),
  );
  const extensions = request.extensions.filter((one) => one instanceof x509.SubjectAlternativeNameExtension);
  return {
    subject: request.subjectName,
    publicKey: Buffer.from(request.publicKey.rawData),
    alternativeNames: extensions.flatMap(({ names }) => names.toJSON()),
  };
}

function parsed<T>(property: string, label: string, pem: string, parse: (text: string) => T): T {
  const found = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(pem)?.[1];
  if (found !== label) {
    throw new Error(
      `${property} must be PEM of the type "${label}", but is ${found === undefined ? "no PEM" : `"${found}"`}.`,
    );
  }
  try {
    return parse(pem);
  } catch (error) {
    throw new Error(`${property} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}
