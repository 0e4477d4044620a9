import { definePolicy } from "../../core/policy";
import { VOLUME } from "../shared/resource-types";

/** The tag by which volumes that hold a cluster's state are known. */
const STATE_TAG = "fleetwright.dev/state-of";

export const stateVolumeKey = definePolicy({
  name: "aws-ebs-state-volume-key",
  description: "State volumes are encrypted with a customer managed key.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV_AWS_189"],
  rules: [2],
  remediationSteps:
    "Set servers.volumeKmsKeyId to the ARN of a KMS key whose key policy you control. Access to the default EBS key cannot be restricted within the account.",
  types: [VOLUME],
  settings: {
    tags: {
      type: "array",
      items: { type: "string" },
      default: [STATE_TAG],
      description: "Tags that mark state volumes.",
    },
  },
  check({ inputs, settings }) {
    const tags = inputs.at("tags");
    if (!settings.tags.some((tag) => tags.at(tag).isSet)) return;
    const key = inputs.at("kmsKeyId");
    if (!key.isSet) key.reportViolation("Set kmsKeyId to the ARN of a customer managed key.");
  },
});
