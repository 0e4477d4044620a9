import { definePolicy } from "../../judge/policy";
import { NODE_GROUP } from "../types";

export const nodeGroupNoRemoteAccess = definePolicy({
  name: "aws-eks-node-group-no-remote-access",
  description: "SSH to nodes of EKS is not open to the whole world.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_100"],
  rules: [26],
  steps:
    "Leave remoteAccess out and use Systems Manager; or name the security groups that may log in: without them EKS opens port 22 to everybody.",
  types: [NODE_GROUP],
  check({ inputs }) {
    const access = inputs.at("remoteAccess");
    if (!access.at("ec2SshKey").isSet) return;
    const groups = access.at("sourceSecurityGroupIds");
    if (groups.list().length === 0)
      groups.refuse("Name the security groups that may log in, or leave remoteAccess out.");
  },
});
