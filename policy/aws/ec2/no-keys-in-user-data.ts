import { definePolicy } from "../../core/policy";
import { INSTANCE, LAUNCH_TEMPLATE } from "../shared/resource-types";
import { userDataOf } from "../shared/user-data";

/** What is looked for, and what it is called: the key itself is never shown. */
const KEYS: readonly (readonly [RegExp, string])[] = [
  [/\b(AKIA|ASIA)[0-9A-Z]{16}\b/, "an AWS access key"],
  [/aws_secret_access_key\s*[=:]/i, "an AWS secret key"],
  [/-----BEGIN OPENSSH PRIVATE KEY-----/, "an SSH private key"],
  [/-----BEGIN (RSA |EC |DSA |ENCRYPTED )?PRIVATE KEY-----/, "a private key"],
  [/\b(gh[pousr]_[0-9A-Za-z]{36}|glpat-[0-9A-Za-z_-]{20})\b/, "a token of a code forge"],
  [/^\s*(agent-)?token:\s*\S{16,}/m, "a join token"],
];

export const noKeysInUserData = definePolicy({
  name: "aws-ec2-no-keys-in-user-data",
  description: "User data contains no keys: anyone who may describe the instance can read it.",
  level: "MUST",
  severity: "critical",
  sources: ["CKV_AWS_46", "trivy no-secrets-in-user-data"],
  rules: [19],
  remediationSteps: "Let the instance read secrets from Systems Manager or Secrets Manager through its role.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  check({ resource, inputs }) {
    const data = userDataOf(resource.type, inputs);
    for (const [pattern, what] of KEYS) {
      if (data !== undefined && pattern.test(data.text))
        data.property.reportViolation(
          "Remove it, and let the instance read it through its role.",
          `text with ${what} in it`,
        );
    }
  },
});
