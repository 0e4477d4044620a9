import { definePolicy } from "../../core/policy";
import { podOf, WORKLOAD_TYPES } from "../shared/pod-spec";

export const noHostNamespaces = definePolicy({
  name: "kubernetes-pod-no-host-namespaces",
  description: "Pods do not use hostPID, hostIPC or hostNetwork.",
  level: "MUST",
  severity: "high",
  sources: [
    "CIS-K 5.2.3",
    "CIS-K 5.2.4",
    "CIS-K 5.2.5",
    "CIS-E 4.2.2",
    "CIS-E 4.2.3",
    "CIS-E 4.2.4",
    "PSS baseline",
  ],
  rules: [37],
  remediationSteps: "Remove hostPID, hostIPC and hostNetwork. Use a Service to expose the pod.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    const pod = podOf(resource, inputs);
    for (const key of ["hostPID", "hostIPC", "hostNetwork"]) {
      pod.attempt(() => {
        if (pod.at(key).flag() === true) pod.at(key).reportViolation(`Set ${key} to false.`);
      });
    }
  },
});
