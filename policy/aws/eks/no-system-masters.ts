import { definePolicy } from "../../core/policy";

export const noSystemMasters = definePolicy({
  name: "aws-eks-no-system-masters",
  description: "EKS access entries do not use the group system:masters.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-E 4.1.7", "CIS-K 5.1.7"],
  rules: [28],
  remediationSteps: "Associate AmazonEKSClusterAdminPolicy instead: it is visible and can be revoked.",
  types: ["aws:eks/accessEntry:AccessEntry"],
  check({ inputs }) {
    inputs.at("kubernetesGroups").each((group) => {
      if (group.text() === "system:masters") group.reportViolation("Associate an access policy instead.");
    });
  },
});
