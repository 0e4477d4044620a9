import { definePolicy } from "../../core/policy";
import { podOf, WORKLOAD_TYPES } from "../shared/pod-spec";

export const ownServiceAccount = definePolicy({
  name: "kubernetes-pod-own-service-account",
  description: "Pods do not use the default service account, unless they mount no token.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.1.5"],
  rules: [42],
  remediationSteps:
    "Create a service account for the workload, or set automountServiceAccountToken to false if it does not use the API.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    const pod = podOf(resource, inputs);
    if (pod.at("automountServiceAccountToken").flag() === false) return;
    const account = pod.at("serviceAccountName");
    const name = account.text() ?? pod.at("serviceAccount").text() ?? "default";
    if (name === "default")
      account.reportViolation(
        "Set serviceAccountName to a dedicated service account, or automountServiceAccountToken to false.",
      );
  },
});
