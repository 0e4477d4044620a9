import type * as tls from "@pulumi/tls";
import { choice, flag, list, text, wholeNumber } from "../shell/kind";
import { resource } from "../shell/declared-resource";
import { readPrivateKey } from "../ssh-key";
import type { Plain } from "../shell/wire";
import { issue, keyIdFor, pem, publicKeyOf } from "./certificate";
import { algorithmOf } from "./key";
import type { OutputsOf } from "./outputs";
import { oneKeyFailures, refreshed, renewalDrift, startOfValidity, timestamp } from "./renewal";
import { distinguishedName, generalNames, nameFailures, subjectKind } from "./subject";
import { USES } from "./uses";

/** `tls.SelfSignedCert` */
export const selfSignedCert = resource<
  Plain<tls.SelfSignedCertArgs>,
  OutputsOf<tls.SelfSignedCertState, tls.SelfSignedCertArgs>
>({
  inputs: {
    allowedUses: { kind: list(choice(...USES)), required: true, onChange: "replace" },
    dnsNames: { kind: list(text), onChange: "replace" },
    earlyRenewalHours: { kind: wholeNumber(0), default: 0 },
    ipAddresses: { kind: list(text), onChange: "replace" },
    isCaCertificate: { kind: flag, default: false, onChange: "replace" },
    maxPathLength: { kind: wholeNumber(-1), onChange: "replace" },
    privateKeyPem: { kind: text, secret: true, onChange: "replace" },
    privateKeyPemWo: { kind: text, secret: true, onChange: "nothing", transient: true },
    privateKeyPemWoVersion: { kind: wholeNumber(), onChange: "replace" },
    setAuthorityKeyId: { kind: flag, default: false, onChange: "replace" },
    setSubjectKeyId: { kind: flag, default: false, onChange: "replace" },
    subject: { kind: subjectKind, onChange: "replace" },
    uris: { kind: list(text), onChange: "replace" },
    validityPeriodHours: { kind: wholeNumber(0), required: true, onChange: "replace" },
  },
  outputs: {
    certPem: { kind: text, required: true },
    keyAlgorithm: { kind: text, required: true },
    readyForRenewal: { kind: flag, required: true },
    validityStartTime: { kind: text, required: true },
    validityEndTime: { kind: text, required: true },
  },
  check: (inputs) => [
    ...nameFailures(inputs),
    ...oneKeyFailures("privateKeyPem", inputs.privateKeyPem, inputs.privateKeyPemWo, false),
    ...(inputs.isCaCertificate === true &&
    inputs.subject !== undefined &&
    distinguishedName(inputs.subject).length === 0
      ? [
          {
            property: "subject",
            reason: "must have at least one part in a certificate of an authority (RFC 5280)",
          },
        ]
      : []),
  ],
  drift: renewalDrift,
  create: async (_, inputs) => {
    const key = readPrivateKey(required(inputs.privateKeyPem ?? inputs.privateKeyPemWo));
    const subject = distinguishedName(inputs.subject);
    const publicKey = publicKeyOf(key);
    const certificate = await issue({
      subject,
      issuer: subject,
      publicKey,
      signingKey: key,
      alternativeNames: generalNames(inputs),
      uses: inputs.allowedUses,
      authority: inputs.isCaCertificate ?? false,
      maxPathLength: inputs.maxPathLength,
      setSubjectKeyId: inputs.setSubjectKeyId ?? false,
      authorityKeyId: inputs.setAuthorityKeyId === true ? await keyIdFor(publicKey) : undefined,
      notBefore: startOfValidity(),
      hours: inputs.validityPeriodHours,
    });
    return {
      id: BigInt(`0x${certificate.serialNumber}`).toString(),
      outputs: {
        certPem: pem(certificate),
        keyAlgorithm: algorithmOf(key),
        readyForRenewal: false,
        validityStartTime: timestamp(certificate.notBefore),
        validityEndTime: timestamp(certificate.notAfter),
      },
    };
  },
  read: async (_, __, state) => refreshed(state),
});

function required(key: string | undefined): string {
  if (key !== undefined) return key;
  throw new Error("privateKeyPem is required: a private key in PEM form (or privateKeyPemWo).");
}
