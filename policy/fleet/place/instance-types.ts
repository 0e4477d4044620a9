import { INSTANCE, LAUNCH_TEMPLATE, NODE_GROUP } from "../../aws/types";
import { definePolicy } from "../../judge/policy";
import { isLike } from "../../judge/settings";

export const instanceTypes = definePolicy({
  name: "fleet-place-instance-types",
  description: "Machines are of types that are allowed.",
  level: "MUST",
  severity: "low",
  sources: [],
  rules: ["product"],
  steps: "Take a type that is allowed, or add it to the setting types.",
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
      description: "Types that are allowed; * stands for anything.",
    },
  },
  check({ inputs, settings }) {
    for (const key of ["instanceType", "instanceTypes"]) {
      inputs.at(key).each((type) => {
        if (!isLike(type.text() ?? "", settings.types))
          type.refuse(`Use one of ${settings.types.join(", ")}.`);
      });
    }
  },
});
