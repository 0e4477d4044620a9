import type * as tls from "@pulumi/tls";
import { func } from "../shell/function";
import { text } from "../shell/kind";
import { readPrivateKey } from "../ssh-key";
import { algorithmOf, publicKeyFacts } from "./key";

/** `tls.getPublicKey` */
export const getPublicKey = func<tls.GetPublicKeyArgs, tls.GetPublicKeyResult>({
  args: { privateKeyOpenssh: { kind: text }, privateKeyPem: { kind: text } },
  result: {
    algorithm: {},
    id: {},
    privateKeyOpenssh: { secret: true },
    privateKeyPem: { secret: true },
    publicKeyFingerprintMd5: {},
    publicKeyFingerprintSha256: {},
    publicKeyOpenssh: {},
    publicKeyPem: {},
  },
  check: ({ privateKeyOpenssh, privateKeyPem }) =>
    (privateKeyOpenssh === undefined) === (privateKeyPem === undefined)
      ? [{ property: "privateKeyPem", reason: "or privateKeyOpenssh must be given, one of the two" }]
      : [],
  invoke: async (_, args) => {
    const key = readPrivateKey(args.privateKeyPem ?? (await pemOfOpenssh(args.privateKeyOpenssh ?? "")));
    const { id, facts } = publicKeyFacts(key);
    return { ...args, id, algorithm: algorithmOf(key), ...facts };
  },
});

async function pemOfOpenssh(openssh: string): Promise<string> {
  const { utils } = await import("ssh2");
  const key = utils.parseKey(openssh);
  if ("message" in key) throw new Error(`privateKeyOpenssh cannot be read: ${key.message}`);
  return key.getPrivatePEM();
}
