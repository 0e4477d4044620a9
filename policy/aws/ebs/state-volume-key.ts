import { definePolicy } from "../../judge/policy";
import { VOLUME } from "../types";

/** The tag by which volumes that hold a cluster's state are known. */
const STATE_TAG = "fleetwright.dev/state-of";

export const stateVolumeKey = definePolicy({
  name: "aws-ebs-state-volume-key",
  description: "Volumes with a cluster's state are encrypted by a key of your own.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV_AWS_189"],
  rules: [2],
  steps:
    "Give servers.volumeKmsKeyId the ARN of a KMS key whose policy you decide on; the account's default key for EBS cannot be taken away from anybody in the account.",
  types: [VOLUME],
  settings: {
    tags: {
      type: "array",
      items: { type: "string" },
      default: [STATE_TAG],
      description: "Volumes with one of these tags hold state.",
    },
  },
  check({ inputs, settings }) {
    const tags = inputs.at("tags");
    if (!settings.tags.some((tag) => tags.at(tag).isSet)) return;
    const key = inputs.at("kmsKeyId");
    if (!key.isSet) key.refuse("Set kmsKeyId to the ARN of a key of your own.");
  },
});
