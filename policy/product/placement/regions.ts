import {
  AUTO_SCALING_GROUP,
  EKS_CLUSTER,
  INSTANCE,
  LAUNCH_TEMPLATE,
  VOLUME,
  VPC,
} from "../../aws/shared/resource-types";
import { definePolicy } from "../../core/policy";

export const regions = definePolicy({
  name: "product-placement-regions",
  description: "AWS resources are in an allowed region.",
  level: "MUST",
  severity: "medium",
  sources: [],
  rules: ["product"],
  remediationSteps: "Set aws:region to an allowed region, or add yours to the setting regions.",
  types: [VPC, INSTANCE, VOLUME, LAUNCH_TEMPLATE, AUTO_SCALING_GROUP, EKS_CLUSTER],
  settings: {
    regions: {
      type: "array",
      items: { type: "string" },
      default: ["eu-central-1", "eu-west-1", "eu-north-1", "us-east-1", "us-east-2", "us-west-2"],
      description: "Allowed regions.",
    },
  },
  check({ resource, inputs, settings, reportViolation, reportUnknown }) {
    const own = inputs.at("region");
    if (own.isSet) {
      if (!settings.regions.includes(own.text() ?? ""))
        own.reportViolation(`Use one of ${settings.regions.join(", ")}.`);
      return;
    }
    const { region } = resource.provider;
    if (typeof region !== "string" || region === "")
      reportUnknown(
        "the region",
        "is set in the environment, not in the config",
        "Set aws:region in the stack's config.",
      );
    else if (!settings.regions.includes(region))
      reportViolation("the region", JSON.stringify(region), `Use one of ${settings.regions.join(", ")}.`);
  },
});
