import { INSTANCE, LAUNCH_TEMPLATE, NODE_GROUP } from "../../aws/shared/resource-types";
import { definePolicy } from "../../core/policy";
import { isLike } from "../../core/settings";

export const instanceTypes = definePolicy({
  name: "product-placement-instance-types",
  description: "Instances have an allowed instance type.",
  level: "MUST",
  severity: "low",
  sources: [],
  rules: ["product"],
  remediationSteps: "Use an allowed instance type, or add yours to the setting types.",
  types: [INSTANCE, LAUNCH_TEMPLATE, NODE_GROUP],
  settings: {
    types: {
      type: "array",
      items: { type: "string" },
      default: [
        "t3.*",
        "t3a.*",
        "t4g.*",
        "m6*.*",
        "m7*.*",
        "m8*.*",
        "c6*.*",
        "c7*.*",
        "c8*.*",
        "r6*.*",
        "r7*.*",
        "r8*.*",
      ],
      description: "Allowed instance types; * matches anything.",
    },
  },
  check({ inputs, settings }) {
    for (const key of ["instanceType", "instanceTypes"]) {
      inputs.at(key).each((type) => {
        if (!isLike(type.text() ?? "", settings.types))
          type.reportViolation(`Use one of ${settings.types.join(", ")}.`);
      });
    }
  },
});
