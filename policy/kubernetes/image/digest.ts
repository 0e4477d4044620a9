import { definePolicy } from "../../judge/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../workload";
import { imageReference } from "./reference";

export const digest = definePolicy({
  name: "kubernetes-image-digest",
  description: "Images are named by their digest, so that what was tested is what runs.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.5.1", "CKV_K8S_43"],
  rules: [30],
  steps: "Write name@sha256:…; a tag may stand before it for people.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const image = container.at("image");
      const text = image.text();
      if (text !== undefined && !/^sha(256|512):[0-9a-f]{64,128}$/.test(imageReference(text).digest ?? ""))
        image.refuse("Add @sha256:… of the image that was tested.");
    });
  },
});
