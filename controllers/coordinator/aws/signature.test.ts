import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import { signedHeaders } from "./signature";

const now = Date.UTC(2026, 5, 1, 12);

test("a signature is the one that AWS's own library makes", async () => {
  const target = new URL("https://api.ecr.eu-west-1.amazonaws.com/");
  const headers = { "content-type": "application/x-amz-json-1.1", "x-amz-target": "T.Get" };
  const keys = {
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    sessionToken: "session",
  };
  const theirs = await new SignatureV4({
    credentials: keys,
    region: "eu-west-1",
    service: "ecr",
    sha256: Sha256,
    applyChecksum: false,
  }).sign(
    {
      method: "POST",
      protocol: "https:",
      hostname: target.hostname,
      path: "/",
      headers: { ...headers, host: target.host, "content-length": "2" },
      body: "{}",
    },
    { signingDate: new Date(now) },
  );
  const ours = signedHeaders(
    { url: target, headers, body: "{}" },
    { keys, region: "eu-west-1", service: "ecr", now },
  );
  expect(ours.authorization).toBe(theirs.headers.authorization);
});

class Sha256 {
  readonly #hash;

  constructor(secret?: unknown) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as Buffer);
  }

  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
}
