import { definePolicy } from "../../core/policy";
import { LOAD_BALANCERS } from "../shared/resource-types";

export const deletionProtection = definePolicy({
  name: "aws-lb-deletion-protection",
  description: "Load balancers have deletion protection.",
  level: "MUST",
  inProduction: true,
  severity: "medium",
  sources: ["CKV_AWS_150", "FSBP ELB.6"],
  rules: [32],
  remediationSteps:
    "Set enableDeletionProtection to true. To delete the load balancer, set it to false first.",
  types: LOAD_BALANCERS,
  check({ inputs }) {
    const guarded = inputs.at("enableDeletionProtection");
    if (guarded.flag() !== true) guarded.reportViolation("Set enableDeletionProtection to true.");
  },
  remediate(inputs) {
    if (inputs.enableDeletionProtection === true) return false;
    inputs.enableDeletionProtection = true;
    return true;
  },
});
