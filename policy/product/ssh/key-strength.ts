import { definePolicy } from "../../core/policy";
import { MIN_RSA_BITS, weakness } from "../shared/public-key";

export const PRIVATE_KEY = "tls:index/privateKey:PrivateKey";
export const KEY_PAIR = "aws:ec2/keyPair:KeyPair";
export const USER = "kubernetes:fleetwright.dev/v1:User";

export const keyStrength = definePolicy({
  name: "product-ssh-key-strength",
  description: `SSH keys are Ed25519, ECDSA or RSA with at least ${MIN_RSA_BITS} bits, and have not expired.`,
  level: "MUST",
  severity: "high",
  sources: [],
  rules: ["product"],
  remediationSteps: "Generate keys with ssh-keygen -t ed25519.",
  types: [PRIVATE_KEY, KEY_PAIR, USER],
  check({ resource, inputs }) {
    if (resource.type === PRIVATE_KEY) {
      const bits = inputs.at("rsaBits");
      if (inputs.at("algorithm").text() === "RSA" && (bits.number() ?? 2048) < MIN_RSA_BITS)
        bits.reportViolation(`Set rsaBits to ${MIN_RSA_BITS} or more, or algorithm to ED25519.`);
      const curve = inputs.at("ecdsaCurve");
      if (inputs.at("algorithm").text() === "ECDSA" && (curve.text() ?? "P224") === "P224")
        curve.reportViolation("Set ecdsaCurve to P256 or more, or algorithm to ED25519.");
    } else if (resource.type === KEY_PAIR) {
      const key = inputs.at("publicKey");
      const weak = weakness(key.text() ?? "");
      if (weak !== undefined) key.reportViolation("Use an Ed25519 key.", weak);
    } else {
      inputs.at("spec", "sshKeys").each((entry) => {
        const weak = weakness(entry.at("key").text() ?? "");
        if (weak !== undefined) entry.at("key").reportViolation("Use an Ed25519 key.", weak);
        const end = entry.at("notAfter");
        const expiry = end.text();
        if (expiry !== undefined && Date.parse(expiry) < Date.now())
          end.reportViolation("The key has expired: remove it, or extend notAfter.");
      });
    }
  },
});
