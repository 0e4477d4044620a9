import { AUTO_SCALING_GROUP, EKS_CLUSTER, INSTANCE, LAUNCH_TEMPLATE, VOLUME, VPC } from "../../aws/types";
import { definePolicy } from "../../judge/policy";

export const regions = definePolicy({
  name: "fleet-place-regions",
  description: "Clusters are in regions that are allowed.",
  level: "MUST",
  severity: "medium",
  sources: [],
  rules: ["product"],
  steps: "Set aws:region to a region that is allowed, or add it to the setting regions.",
  types: [VPC, INSTANCE, VOLUME, LAUNCH_TEMPLATE, AUTO_SCALING_GROUP, EKS_CLUSTER],
  settings: {
    regions: {
      type: "array",
      items: { type: "string" },
      default: ["eu-central-1", "eu-west-1", "eu-north-1", "us-east-1", "us-east-2", "us-west-2"],
      description: "Regions that are allowed.",
    },
  },
  check({ resource, inputs, settings, refuse, doubt }) {
    const own = inputs.at("region");
    if (own.isSet) {
      if (!settings.regions.includes(own.text() ?? ""))
        own.refuse(`Use one of ${settings.regions.join(", ")}.`);
      return;
    }
    const { region } = resource.provider;
    if (typeof region !== "string" || region === "")
      doubt(
        "the region",
        "is in the environment and not in the program",
        "Set aws:region in the stack's config.",
      );
    else if (!settings.regions.includes(region))
      refuse("the region", JSON.stringify(region), `Use one of ${settings.regions.join(", ")}.`);
  },
});
