import { definePolicy } from "../../judge/policy";
import { LOAD_BALANCERS } from "../types";

export const deletionProtection = definePolicy({
  name: "aws-lb-deletion-protection",
  description: "Load balancers are not deleted by mistake.",
  level: "MUST",
  inProduction: true,
  severity: "medium",
  sources: ["CKV_AWS_150", "FSBP ELB.6"],
  rules: [32],
  steps: "Set enableDeletionProtection to true; to delete it, set it to false first.",
  types: LOAD_BALANCERS,
  check({ inputs }) {
    const guarded = inputs.at("enableDeletionProtection");
    if (guarded.flag() !== true) guarded.refuse("Set enableDeletionProtection to true.");
  },
  remediate(inputs) {
    if (inputs.enableDeletionProtection === true) return false;
    inputs.enableDeletionProtection = true;
    return true;
  },
});
