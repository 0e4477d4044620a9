import { definePolicy } from "../../core/policy";
import { RKE_CLUSTER } from "../shared/resource-types";

export const etcdSnapshots = definePolicy({
  name: "product-state-etcd-snapshots",
  description: "Snapshots of etcd go to a bucket over TLS, and state volumes have EBS snapshots.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 2.x", "CIS-K 1.1.11"],
  rules: [34],
  // TLS between members and to clients, and a directory of mode 0700, are how RKE2 sets etcd up; there is no argument to evaluate.
  remediationSteps:
    "Set etcdSnapshots.bucket to a bucket that outlives the cluster, and leave snapshotVolumes at true. S3 has encrypted all new objects since 2023.",
  types: [RKE_CLUSTER],
  check({ inputs }) {
    const bucket = inputs.at("etcdSnapshots", "bucket");
    if (!bucket.isSet) bucket.reportViolation("Set it to a bucket that outlives the cluster.");
    const insecure = inputs.at("etcdSnapshots", "insecure");
    if (insecure.flag() === true) insecure.reportViolation("Set insecure to false.");
    const copies = inputs.at("snapshotVolumes");
    if (copies.flag() === false) copies.reportViolation("Set snapshotVolumes to true.");
  },
});
