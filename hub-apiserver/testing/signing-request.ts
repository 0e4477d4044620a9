import "reflect-metadata";
import { createPrivateKey, createPublicKey, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(webcrypto);

/** A request for a client certificate, as PEM, for a key of the kind ECDSA P-256. */
export async function signingRequest(key: string, user: string): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const secret = createPrivateKey(key).export({ type: "pkcs8", format: "der" });
  const open = createPublicKey(key).export({ type: "spki", format: "der" });
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [user] }],
    keys: {
      privateKey: await webcrypto.subtle.importKey("pkcs8", secret, algorithm, true, ["sign"]),
      publicKey: await webcrypto.subtle.importKey("spki", open, algorithm, true, ["verify"]),
    },
    signingAlgorithm: algorithm,
  });
  return request.toString("pem");
}
