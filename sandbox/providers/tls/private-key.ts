// `tls.PrivateKey`: makes a key pair.
import type * as tls from "@pulumi/tls";
import { choice, text, wholeNumber } from "../shell/kind";
import { resource } from "../shell/declared-resource";
import { sshPrivateKey } from "../ssh-key";
import type { Plain } from "../shell/wire";
import {
  type Algorithm,
  ALGORITHMS,
  type Curve,
  CURVE_NAMES,
  newKey,
  publicKeyFacts,
  traditionalPem,
} from "./key";
import type { OutputsOf } from "./outputs";

type Args = Plain<tls.PrivateKeyArgs>;

const DEFAULT_CURVE: Curve = "P224";
const DEFAULT_BITS = 2048;

/** `tls.PrivateKey` */
export const privateKey = resource<Args, OutputsOf<tls.PrivateKeyState, tls.PrivateKeyArgs>>({
  inputs: {
    algorithm: { kind: choice(...ALGORITHMS), required: true, onChange: "replace" },
    ecdsaCurve: { kind: choice(...CURVE_NAMES), default: DEFAULT_CURVE, onChange: "replace" },
    rsaBits: { kind: wholeNumber(512, 16384), default: DEFAULT_BITS, onChange: "replace" },
  },
  outputs: {
    privateKeyPem: { kind: text, required: true, secret: true },
    privateKeyPemPkcs8: { kind: text, required: true, secret: true },
    privateKeyOpenssh: { kind: text, required: true, secret: true },
    publicKeyPem: { kind: text, required: true },
    publicKeyOpenssh: { kind: text, required: true },
    publicKeyFingerprintMd5: { kind: text, required: true },
    publicKeyFingerprintSha256: { kind: text, required: true },
  },
  create: async (_, { algorithm, ecdsaCurve, rsaBits }) => {
    const key = await newKey(named(ALGORITHMS, algorithm), {
      rsaBits: rsaBits ?? DEFAULT_BITS,
      curve: named(CURVE_NAMES, ecdsaCurve ?? DEFAULT_CURVE),
    });
    const { id, facts } = publicKeyFacts(key);
    return {
      id,
      outputs: {
        privateKeyPem: traditionalPem(key),
        privateKeyPemPkcs8: key.export({ type: "pkcs8", format: "pem" }).toString(),
        privateKeyOpenssh: sshPrivateKey(key) ?? "",
        ...facts,
      },
    };
  },
});

/** The member of a list that a text names; the kind of the input has already refused others. */
function named<T extends Algorithm | Curve>(list: readonly T[], value: string): T {
  const found = list.find((one) => one === value);
  if (found !== undefined) return found;
  throw new Error(`"${value}" must be one of ${list.join(", ")}.`);
}
