import type * as tls from "@pulumi/tls";
import { choice, flag, list, text, wholeNumber } from "../shell/kind";
import { resource } from "../shell/declared-resource";
import { readPrivateKey } from "../ssh-key";
import type { Plain } from "../shell/wire";
import { issue, keyIdOf, pem } from "./certificate";
import { readCertificate, readRequest } from "./parsing";
import { algorithmOf } from "./key";
import type { OutputsOf } from "./outputs";
import { oneKeyFailures, refreshed, renewalDrift, startOfValidity, timestamp } from "./renewal";
import { USES } from "./uses";

/** `tls.LocallySignedCert` */
export const locallySignedCert = resource<
  Plain<tls.LocallySignedCertArgs>,
  OutputsOf<tls.LocallySignedCertState, tls.LocallySignedCertArgs>
>({
  inputs: {
    allowedUses: { kind: list(choice(...USES)), required: true, onChange: "replace" },
    caCertPem: { kind: text, required: true, onChange: "replace" },
    caPrivateKeyPem: { kind: text, secret: true, onChange: "replace" },
    caPrivateKeyPemWo: { kind: text, secret: true, onChange: "nothing", transient: true },
    caPrivateKeyPemWoVersion: { kind: wholeNumber(), onChange: "replace" },
    certRequestPem: { kind: text, required: true, onChange: "replace" },
    earlyRenewalHours: { kind: wholeNumber(0), default: 0 },
    isCaCertificate: { kind: flag, default: false, onChange: "replace" },
    maxPathLength: { kind: wholeNumber(-1), onChange: "replace" },
    setSubjectKeyId: { kind: flag, default: false, onChange: "replace" },
    validityPeriodHours: { kind: wholeNumber(0), required: true, onChange: "replace" },
  },
  outputs: {
    caKeyAlgorithm: { kind: text, required: true },
    certPem: { kind: text, required: true },
    readyForRenewal: { kind: flag, required: true },
    validityStartTime: { kind: text, required: true },
    validityEndTime: { kind: text, required: true },
  },
  check: (inputs) =>
    oneKeyFailures("caPrivateKeyPem", inputs.caPrivateKeyPem, inputs.caPrivateKeyPemWo, false),
  drift: renewalDrift,
  create: async (context, inputs) => {
    const source = inputs.caPrivateKeyPem ?? inputs.caPrivateKeyPemWo;
    if (source === undefined) {
      throw new Error("caPrivateKeyPem is required: a private key in PEM form (or caPrivateKeyPemWo).");
    }
    const key = readPrivateKey(source);
    const authority = await readCertificate("caCertPem", inputs.caCertPem);
    const request = await readRequest("certRequestPem", inputs.certRequestPem);
    if (!authority.isAuthority) {
      context.log.warning(
        "caCertPem is not the certificate of an authority: those who check the chain will refuse it.",
      );
    }
    if (!authority.ownsKey(key)) {
      throw new Error(
        "caPrivateKeyPem is not the key of caCertPem: no one could check the certificate. Give the pair.",
      );
    }
    const certificate = await issue({
      subject: request.subject,
      issuer: authority.certificate.subjectName,
      publicKey: request.publicKey,
      signingKey: key,
      alternativeNames: request.alternativeNames,
      uses: inputs.allowedUses,
      authority: inputs.isCaCertificate ?? false,
      maxPathLength: inputs.maxPathLength,
      setSubjectKeyId: inputs.setSubjectKeyId ?? false,
      authorityKeyId: await keyIdOf(authority.certificate),
      notBefore: startOfValidity(),
      hours: inputs.validityPeriodHours,
    });
    return {
      id: BigInt(`0x${certificate.serialNumber}`).toString(),
      outputs: {
        caKeyAlgorithm: algorithmOf(key),
        certPem: pem(certificate),
        readyForRenewal: false,
        validityStartTime: timestamp(certificate.notBefore),
        validityEndTime: timestamp(certificate.notAfter),
      },
    };
  },
  read: async (_, __, state) => refreshed(state),
});
