import { createHash } from "node:crypto";
import type * as tls from "@pulumi/tls";
import { list, text, wholeNumber } from "../shell/kind";
import { resource } from "../shell/declared-resource";
import { readPrivateKey } from "../ssh-key";
import type { Plain } from "../shell/wire";
import { pem, request } from "./certificate";
import { algorithmOf } from "./key";
import type { OutputsOf } from "./outputs";
import { oneKeyFailures } from "./renewal";
import { distinguishedName, generalNames, nameFailures, subjectKind } from "./subject";

/** `tls.CertRequest` */
export const certRequest = resource<
  Plain<tls.CertRequestArgs>,
  OutputsOf<tls.CertRequestState, tls.CertRequestArgs>
>({
  inputs: {
    dnsNames: { kind: list(text), onChange: "replace" },
    ipAddresses: { kind: list(text), onChange: "replace" },
    privateKeyPem: { kind: text, secret: true, onChange: "replace" },
    privateKeyPemWo: { kind: text, secret: true, onChange: "nothing", transient: true },
    privateKeyPemWoVersion: { kind: wholeNumber(), onChange: "replace" },
    subject: { kind: subjectKind, onChange: "replace" },
    uris: { kind: list(text), onChange: "replace" },
  },
  outputs: {
    certRequestPem: { kind: text, required: true },
    keyAlgorithm: { kind: text, required: true },
  },
  check: (inputs) => [
    ...nameFailures(inputs),
    ...oneKeyFailures("privateKeyPem", inputs.privateKeyPem, inputs.privateKeyPemWo, false),
  ],
  create: async (_, inputs) => {
    const source = inputs.privateKeyPem ?? inputs.privateKeyPemWo;
    if (source === undefined) {
      throw new Error("privateKeyPem is required: a private key in PEM form (or privateKeyPemWo).");
    }
    const key = readPrivateKey(source);
    const made = await request(key, distinguishedName(inputs.subject), generalNames(inputs));
    return {
      id: createHash("sha1").update(Buffer.from(made.rawData)).digest("hex"),
      outputs: { certRequestPem: pem(made), keyAlgorithm: algorithmOf(key) },
    };
  },
});
