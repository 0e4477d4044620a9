// A small provider of OpenID Connect for tests: discovery and keys over https with an authority of its own, and tokens with any
// claims.
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import {
  certifiedKey,
  daysFromNow,
  generateKey,
  publicKeyOf,
} from "../../../sandbox/controlplane/certificate";

/** A provider that is listening. */
export interface Issuer {
  /** As in `iss`. */
  url: string;
  /** PEM of the authority of its certificate. */
  authority: string;
  /** A token with these claims beside `iss`, `iat` and `exp`; those that are given win. */
  token(claims: Readonly<Record<string, unknown>>): string;
  close(): Promise<void>;
}

const KEY_ID = "one";

/** Starts a provider on a free port of this machine. */
export async function startIssuer(): Promise<Issuer> {
  const { certificate, key } = await certifiedKey({
    subject: { commonName: "issuer" },
    usages: ["serverAuth", "digitalSignature"],
    names: { ips: ["127.0.0.1"] },
    notAfter: daysFromNow(1),
  });
  const signing = await generateKey("ecdsa-p256");
  const jwk = createPublicKey(publicKeyOf(signing)).export({ format: "jwk" });
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const documents: Record<string, object> = {
      "/.well-known/openid-configuration": {
        issuer: url,
        jwks_uri: `${url}/keys`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"],
      },
      "/keys": { keys: [{ ...jwk, use: "sig", alg: "ES256", kid: KEY_ID }] },
    };
    const document = documents[request.url ?? ""];
    response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    authority: certificate,
    token(claims) {
      const now = Math.floor(Date.now() / 1000);
      const head = part({ alg: "ES256", typ: "JWT", kid: KEY_ID });
      const body = part({ iss: url, iat: now, exp: now + 3600, ...claims });
      const key = { key: createPrivateKey(signing), dsaEncoding: "ieee-p1363" } as const;
      return `${head}.${body}.${sign("sha256", Buffer.from(`${head}.${body}`), key).toString("base64url")}`;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
