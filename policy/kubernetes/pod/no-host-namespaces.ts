import { definePolicy } from "../../judge/policy";
import { podOf, WORKLOAD_TYPES } from "../workload";

export const noHostNamespaces = definePolicy({
  name: "kubernetes-pod-no-host-namespaces",
  description: "No pod shares the processes, the messages or the network of its node.",
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
  steps: "Take hostPID, hostIPC and hostNetwork away; use a Service where others have to reach the pod.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    const pod = podOf(resource, inputs);
    for (const key of ["hostPID", "hostIPC", "hostNetwork"]) {
      pod.attempt(() => {
        if (pod.at(key).flag() === true) pod.at(key).refuse(`Set ${key} to false.`);
      });
    }
  },
});
