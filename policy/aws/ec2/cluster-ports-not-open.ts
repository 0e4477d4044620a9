import { definePolicy } from "../../judge/policy";
import { DOORS, eachOpenDoor } from "./open-doors";

/** The doors of a cluster that only its own machines and its operators use. */
const PORTS: readonly (readonly [first: number, last: number, what: string])[] = [
  [6443, 6443, "the Kubernetes API"],
  [9345, 9345, "the registration of RKE2"],
  [2379, 2380, "etcd"],
  [10250, 10250, "the kubelet"],
  [30000, 32767, "NodePort services"],
];

export const clusterPortsNotOpen = definePolicy({
  name: "aws-ec2-cluster-ports-not-open",
  description: "The ports of a cluster's own parts are not open to the whole world.",
  level: "MUST",
  severity: "critical",
  sources: ["CKV_AWS_277", "FSBP EC2.19", "NSA network"],
  rules: [11],
  steps: "Name the ranges of operators for the API, and security groups for everything else.",
  types: DOORS,
  check({ resource, inputs }) {
    eachOpenDoor(resource.type, inputs, ({ from, first, last }) => {
      const open = PORTS.filter(([low, high]) => low <= last && high >= first).map(([, , what]) => what);
      if (open.length > 0)
        from.refuse(
          `Name the ranges that may use the ports ${first}-${last}: behind them lies ${open.join(", ")}.`,
        );
    });
  },
});
