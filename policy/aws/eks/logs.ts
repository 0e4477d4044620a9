import { definePolicy } from "../../judge/policy";
import { EKS_CLUSTER } from "../types";

const ALL = ["api", "audit", "authenticator", "controllerManager", "scheduler"];

export const logs = definePolicy({
  name: "aws-eks-logs",
  description: "An EKS cluster writes all five logs of its control plane.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV_AWS_37", "FSBP EKS.8", "CIS-E 2.1.1"],
  rules: [24],
  steps:
    "Set enabledClusterLogTypes to all five, and make the log group yourself to say how long it keeps them.",
  types: [EKS_CLUSTER],
  check({ inputs }) {
    const types = inputs.at("enabledClusterLogTypes");
    const found = types.texts();
    const missing = ALL.filter((type) => !found.includes(type));
    if (missing.length > 0)
      types.refuse(
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
