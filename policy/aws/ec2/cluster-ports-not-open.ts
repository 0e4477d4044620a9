import { definePolicy } from "../../core/policy";
import { INGRESS_TYPES, eachOpenIngress } from "../shared/ingress-rules";

/** Ports of a cluster that only its own nodes and its operators use. */
const PORTS: readonly (readonly [first: number, last: number, what: string])[] = [
  [6443, 6443, "the Kubernetes API"],
  [9345, 9345, "RKE2 registration"],
  [2379, 2380, "etcd"],
  [10250, 10250, "the kubelet"],
  [30000, 32767, "NodePort services"],
];

export const clusterPortsNotOpen = definePolicy({
  name: "aws-ec2-cluster-ports-not-open",
  description: "Cluster ports (API, etcd, kubelet, NodePort) are not open to the internet.",
  level: "MUST",
  severity: "critical",
  sources: ["CKV_AWS_277", "FSBP EC2.19", "NSA network"],
  rules: [11],
  remediationSteps:
    "Allow only your operators' CIDR ranges on the API port, and only security groups on the other ports.",
  types: INGRESS_TYPES,
  check({ resource, inputs }) {
    eachOpenIngress(resource.type, inputs, ({ from, first, last }) => {
      const open = PORTS.filter(([low, high]) => low <= last && high >= first).map(([, , what]) => what);
      if (open.length > 0)
        from.reportViolation(
          `List the CIDR ranges that may use ports ${first}-${last}, which include ${open.join(", ")}.`,
        );
    });
  },
});
