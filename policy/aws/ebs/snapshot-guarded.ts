import { definePolicy } from "../../core/policy";

const COPY = "aws:ebs/snapshotCopy:SnapshotCopy";
const BLOCK = "aws:ebs/snapshotBlockPublicAccess:SnapshotBlockPublicAccess";
const PERMISSION = "aws:ec2/amiLaunchPermission:AmiLaunchPermission";

export const snapshotGuarded = definePolicy({
  name: "aws-ebs-snapshot-guarded",
  description: "Snapshot copies use a customer managed key, and no snapshot or AMI is public.",
  level: "MUST",
  severity: "critical",
  sources: ["CKV_AWS_183", "FSBP EC2.1"],
  rules: [5],
  remediationSteps: "Set encrypted and kmsKeyId on snapshot copies. Share AMIs with named accounts only.",
  types: [COPY, BLOCK, PERMISSION],
  check({ resource, inputs }) {
    if (resource.type === COPY) {
      const encrypted = inputs.at("encrypted");
      if (encrypted.flag() !== true) encrypted.reportViolation("Set encrypted to true.");
      const key = inputs.at("kmsKeyId");
      if (!key.isSet) key.reportViolation("Set kmsKeyId to the ARN of a customer managed key.");
    } else if (resource.type === BLOCK) {
      const state = inputs.at("state");
      if (state.text() === "unblocked") state.reportViolation("Set state to block-all-sharing.");
    } else {
      const group = inputs.at("group");
      if (group.text() === "all") group.reportViolation("Set accountId instead of group.");
    }
  },
});
