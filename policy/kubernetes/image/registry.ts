import { definePolicy } from "../../judge/policy";
import { isLike } from "../../judge/settings";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../workload";
import { imageReference } from "./reference";

export const registry = definePolicy({
  name: "kubernetes-image-registry",
  description: "Images come from registries that are approved.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-E 5.1.4", "CIS-K 5.5.1", "NSA images"],
  rules: [30],
  steps: "Copy the image into a registry that is approved, or add its registry to the setting registries.",
  types: WORKLOAD_TYPES,
  settings: {
    registries: {
      type: "array",
      items: { type: "string" },
      default: [
        "registry.k8s.io/*",
        "public.ecr.aws/*",
        "*.dkr.ecr.*.amazonaws.com/*",
        "ghcr.io/fleetwright/*",
      ],
      description: "Repositories that images may come from, host and path; * stands for anything.",
    },
  },
  check({ resource, inputs, settings }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const image = container.at("image");
      const text = image.text();
      if (text !== undefined && !isLike(imageReference(text).repository, settings.registries))
        image.refuse(`Take it from ${settings.registries.join(", ")}.`);
    });
  },
});
