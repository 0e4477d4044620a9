import { definePolicy } from "../../core/policy";
import { isLike } from "../../core/settings";
import { INSTANCE, LAUNCH_TEMPLATE } from "../shared/resource-types";

export const imageAllowed = definePolicy({
  name: "aws-ec2-image-allowed",
  description: "Instances run approved AMIs.",
  level: "MUST",
  severity: "medium",
  sources: ["trivy specify-ami-owners"],
  rules: [21],
  remediationSteps:
    "List approved AMI ids in the setting images: a policy sees the id of an AMI but not its owner. By default any AMI id is allowed; other names are violations, because whoever owns the name decides what runs.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  settings: {
    images: {
      type: "array",
      items: { type: "string" },
      default: ["ami-*"],
      description: "Approved AMI ids; * matches anything.",
    },
  },
  check({ resource, inputs, settings }) {
    const image = inputs.at(resource.type === INSTANCE ? "ami" : "imageId");
    const id = image.text();
    if (id !== undefined && !isLike(id, settings.images))
      image.reportViolation(`Use an approved AMI (${settings.images.join(", ")}).`);
  },
});
