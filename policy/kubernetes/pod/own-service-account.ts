import { definePolicy } from "../../judge/policy";
import { podOf, WORKLOAD_TYPES } from "../workload";

export const ownServiceAccount = definePolicy({
  name: "kubernetes-pod-own-service-account",
  description: "Pods do not use the default service account, unless they get no token.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.1.5"],
  rules: [42],
  steps:
    "Make a service account for the workload, or set automountServiceAccountToken to false where it asks nothing of the API.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    const pod = podOf(resource, inputs);
    if (pod.at("automountServiceAccountToken").flag() === false) return;
    const account = pod.at("serviceAccountName");
    const name = account.text() ?? pod.at("serviceAccount").text() ?? "default";
    if (name === "default")
      account.refuse("Name a service account of its own, or set automountServiceAccountToken to false.");
  },
});
