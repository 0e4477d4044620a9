import { definePolicy } from "../../core/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../shared/pod-spec";
import { imageReference } from "../shared/image-reference";

export const digest = definePolicy({
  name: "kubernetes-image-digest",
  description: "Images are referenced by digest.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.5.1", "CKV_K8S_43"],
  rules: [30],
  remediationSteps: "Use name@sha256:…, with a tag before it if you like.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const image = container.at("image");
      const text = image.text();
      if (text !== undefined && !/^sha(256|512):[0-9a-f]{64,128}$/.test(imageReference(text).digest ?? ""))
        image.reportViolation("Add the @sha256:… digest of the tested image.");
    });
  },
});
