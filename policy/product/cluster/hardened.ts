import { definePolicy } from "../../core/policy";
import { RKE_CLUSTER } from "../shared/resource-types";

export const hardened = definePolicy({
  name: "product-cluster-hardened",
  description: "RKE2 clusters use the CIS profile and write an audit log.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 1.2.x", "RKE2 hardening guide"],
  rules: [33, 35],
  // The profile brings protect-kernel-defaults, anonymous-auth=false and the kubelet's settings; Secrets are always encrypted.
  remediationSteps: "Leave hardening.cis and hardening.audit at true.",
  types: [RKE_CLUSTER],
  check({ inputs }) {
    for (const key of ["cis", "audit"]) {
      const setting = inputs.at("hardening", key);
      if (setting.flag() === false) setting.reportViolation(`Set hardening.${key} to true.`);
    }
  },
});
