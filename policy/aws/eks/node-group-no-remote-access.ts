import { definePolicy } from "../../core/policy";
import { NODE_GROUP } from "../shared/resource-types";

export const nodeGroupNoRemoteAccess = definePolicy({
  name: "aws-eks-node-group-no-remote-access",
  description: "SSH to EKS node groups is not open to the internet.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_100"],
  rules: [26],
  remediationSteps:
    "Omit remoteAccess and use Systems Manager, or list the security groups that may log in: without them EKS opens port 22 to everyone.",
  types: [NODE_GROUP],
  check({ inputs }) {
    const access = inputs.at("remoteAccess");
    if (!access.at("ec2SshKey").isSet) return;
    const groups = access.at("sourceSecurityGroupIds");
    if (groups.list().length === 0)
      groups.reportViolation("List the security groups that may log in, or remove remoteAccess.");
  },
});
