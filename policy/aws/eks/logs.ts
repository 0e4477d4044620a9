import { definePolicy } from "../../core/policy";
import { EKS_CLUSTER } from "../shared/resource-types";

const ALL = ["api", "audit", "authenticator", "controllerManager", "scheduler"];

export const logs = definePolicy({
  name: "aws-eks-logs",
  description: "EKS clusters write all control plane logs.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV_AWS_37", "FSBP EKS.8", "CIS-E 2.1.1"],
  rules: [24],
  remediationSteps:
    "Set enabledClusterLogTypes to all five types, and create the log group yourself to set its retention.",
  types: [EKS_CLUSTER],
  check({ inputs }) {
    const types = inputs.at("enabledClusterLogTypes");
    const found = types.texts();
    const missing = ALL.filter((type) => !found.includes(type));
    if (missing.length > 0)
      types.reportViolation(
        `Add ${missing.join(", ")}.`,
        found.length === 0
          ? types.shown()
          : `only ${types
              .list()
              .map((type) => type.shown())
              .join(", ")}`,
      );
  },
  remediate(inputs) {
    const found: unknown = inputs.enabledClusterLogTypes ?? [];
    if (!Array.isArray(found) || ALL.every((type) => found.includes(type))) return false;
    inputs.enabledClusterLogTypes = ALL;
    return true;
  },
});
