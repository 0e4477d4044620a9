import { definePolicy } from "../../judge/policy";
import { LEAST_RSA_BITS, weakness } from "./public-key";

export const PRIVATE_KEY = "tls:index/privateKey:PrivateKey";
export const KEY_PAIR = "aws:ec2/keyPair:KeyPair";
export const USER = "kubernetes:fleetwright.dev/v1:User";

export const keyStrength = definePolicy({
  name: "fleet-ssh-key-strength",
  description: `Keys are Ed25519, ECDSA or RSA of ${LEAST_RSA_BITS} bits, and keys of users are not over.`,
  level: "MUST",
  severity: "high",
  sources: [],
  rules: ["product"],
  steps: "Make keys with ssh-keygen -t ed25519.",
  types: [PRIVATE_KEY, KEY_PAIR, USER],
  check({ resource, inputs }) {
    if (resource.type === PRIVATE_KEY) {
      const bits = inputs.at("rsaBits");
      if (inputs.at("algorithm").text() === "RSA" && (bits.number() ?? 2048) < LEAST_RSA_BITS)
        bits.refuse(`Set rsaBits to ${LEAST_RSA_BITS} or more, or algorithm to ED25519.`);
      const curve = inputs.at("ecdsaCurve");
      if (inputs.at("algorithm").text() === "ECDSA" && (curve.text() ?? "P224") === "P224")
        curve.refuse("Set ecdsaCurve to P256 or more, or algorithm to ED25519.");
    } else if (resource.type === KEY_PAIR) {
      const key = inputs.at("publicKey");
      const weak = weakness(key.text() ?? "");
      if (weak !== undefined) key.refuse("Use an Ed25519 key.", weak);
    } else {
      inputs.at("spec", "sshKeys").each((entry) => {
        const weak = weakness(entry.at("key").text() ?? "");
        if (weak !== undefined) entry.at("key").refuse("Use an Ed25519 key.", weak);
        const end = entry.at("notAfter");
        const moment = end.text();
        if (moment !== undefined && Date.parse(moment) < Date.now())
          end.refuse("The key is over: remove it, or give it another end.");
      });
    }
  },
});
