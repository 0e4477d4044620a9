// A key and a request for a certificate of a syncer, and what stands in one.
import "reflect-metadata";
import { createPublicKey, webcrypto, X509Certificate } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { clusterUser } from "../../api/hub";

x509.cryptoProvider.set(webcrypto);

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A key as PEM, and the request for a certificate of it. */
export interface CertificateRequest {
  key: string;
  request: string;
}

/** Makes a key and a request for the certificate of a cluster's syncer. */
export async function requestFor(cluster: string): Promise<CertificateRequest> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [clusterUser(cluster)] }],
    keys,
    signingAlgorithm: ALGORITHM,
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const lines = key.match(/.{1,64}/g)?.join("\n") ?? "";
  return {
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
    request: made.toString("pem"),
  };
}

/** Why a request is not one for the syncer of a cluster and nothing else; undefined if it is. */
export async function requestObjection(pem: string, cluster: string): Promise<string | undefined> {
  let request: x509.Pkcs10CertificateRequest;
  try {
    request = new x509.Pkcs10CertificateRequest(pem);
  } catch {
    return "it cannot be read as a PKCS #10 request in PEM";
  }
  const subject = request.subjectName.toJSON();
  const isOurs = JSON.stringify(subject) === JSON.stringify([{ CN: [clusterUser(cluster)] }]);
  if (!isOurs)
    return `its subject is ${JSON.stringify(request.subject)}, not CN=${clusterUser(cluster)} alone`;
  if (request.attributes.length > 0 || request.extensions.length > 0) return "it asks for extensions";
  if (!(await request.verify().catch(() => false))) return "it is not signed by its own key";
  return undefined;
}

/** When a certificate begins and ends. */
export function validityOf(pem: string): { from: number; to: number } {
  const { validFrom, validTo } = new X509Certificate(pem);
  return { from: Date.parse(validFrom), to: Date.parse(validTo) };
}

/** Whether a certificate is of a key. */
export function belongsTo(certificate: string, key: string): boolean {
  const own = createPublicKey(key).export({ type: "spki", format: "der" });
  return new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" }).equals(own);
}
