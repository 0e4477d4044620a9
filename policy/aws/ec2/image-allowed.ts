import { definePolicy } from "../../judge/policy";
import { isLike } from "../../judge/settings";
import { INSTANCE, LAUNCH_TEMPLATE } from "../types";

export const imageAllowed = definePolicy({
  name: "aws-ec2-image-allowed",
  description: "Machines run images of known makers.",
  level: "MUST",
  severity: "medium",
  sources: ["trivy specify-ami-owners"],
  rules: [21],
  steps:
    "A policy sees an image's id and not its owner: list the ids in the setting images, or name the owner where the program looks the image up, as our components do. Without a list only names that are no ids are refused, because whoever owns the name decides what runs.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  settings: {
    images: {
      type: "array",
      items: { type: "string" },
      default: ["ami-*"],
      description: "Ids of images that may run; * stands for anything.",
    },
  },
  check({ resource, inputs, settings }) {
    const image = inputs.at(resource.type === INSTANCE ? "ami" : "imageId");
    const id = image.text();
    if (id !== undefined && !isLike(id, settings.images))
      image.refuse(`Use an image that is allowed (${settings.images.join(", ")}).`);
  },
});
