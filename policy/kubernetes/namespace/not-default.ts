import { definePolicy } from "../../core/policy";
import { WORKLOAD_TYPES } from "../shared/pod-spec";

export const notDefault = definePolicy({
  name: "kubernetes-namespace-not-default",
  description: "Resources are not created in the namespace default.",
  level: "MUST",
  severity: "low",
  sources: ["CIS-K 5.6.4", "CIS-E 4.5.2"],
  rules: [43],
  remediationSteps: "Create a namespace for the application.",
  types: [
    ...WORKLOAD_TYPES,
    "kubernetes:core/v1:Service",
    "kubernetes:core/v1:ConfigMap",
    "kubernetes:core/v1:Secret",
    "kubernetes:core/v1:ServiceAccount",
    "kubernetes:networking.k8s.io/v1:Ingress",
  ],
  check({ resource, inputs }) {
    const namespace = inputs.at("metadata", "namespace");
    // The provider may have a namespace of its own for what names none.
    const own = resource.provider.namespace;
    const isElsewhere = !namespace.isSet && typeof own === "string" && own !== "" && own !== "default";
    if (!isElsewhere && (namespace.text() ?? "default") === "default")
      namespace.reportViolation("Set metadata.namespace.");
  },
});
