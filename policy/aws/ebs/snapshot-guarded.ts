import { definePolicy } from "../../judge/policy";

const COPY = "aws:ebs/snapshotCopy:SnapshotCopy";
const BLOCK = "aws:ebs/snapshotBlockPublicAccess:SnapshotBlockPublicAccess";
const PERMISSION = "aws:ec2/amiLaunchPermission:AmiLaunchPermission";

export const snapshotGuarded = definePolicy({
  name: "aws-ebs-snapshot-guarded",
  description: "Copies of snapshots are encrypted by a key of your own, and no snapshot or image is public.",
  level: "MUST",
  severity: "critical",
  sources: ["CKV_AWS_183", "FSBP EC2.1"],
  rules: [5],
  steps: "Set encrypted and kmsKeyId on copies; share images with accounts by name and never with everybody.",
  types: [COPY, BLOCK, PERMISSION],
  check({ resource, inputs }) {
    if (resource.type === COPY) {
      const encrypted = inputs.at("encrypted");
      if (encrypted.flag() !== true) encrypted.refuse("Set encrypted to true.");
      const key = inputs.at("kmsKeyId");
      if (!key.isSet) key.refuse("Set kmsKeyId to the ARN of a key of your own.");
    } else if (resource.type === BLOCK) {
      const state = inputs.at("state");
      if (state.text() === "unblocked") state.refuse("Set state to block-all-sharing.");
    } else {
      const group = inputs.at("group");
      if (group.text() === "all") group.refuse("Give accountId, and no group.");
    }
  },
});
