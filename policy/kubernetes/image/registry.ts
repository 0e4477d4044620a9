import { definePolicy } from "../../core/policy";
import { isLike } from "../../core/settings";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../shared/pod-spec";
import { imageReference } from "../shared/image-reference";

export const registry = definePolicy({
  name: "kubernetes-image-registry",
  description: "Images come from approved registries.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-E 5.1.4", "CIS-K 5.5.1", "NSA images"],
  rules: [30],
  remediationSteps: "Copy the image to an approved registry, or add its registry to the setting registries.",
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
      description: "Approved repositories, as host and path; * matches anything.",
    },
  },
  check({ resource, inputs, settings }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const image = container.at("image");
      const text = image.text();
      if (text !== undefined && !isLike(imageReference(text).repository, settings.registries))
        image.reportViolation(`Use an image from ${settings.registries.join(", ")}.`);
    });
  },
});
