import { definePolicy } from "../../judge/policy";

export const noSystemMasters = definePolicy({
  name: "aws-eks-no-system-masters",
  description: "No access entry gives the group that nothing can be denied to.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-E 4.1.7", "CIS-K 5.1.7"],
  rules: [28],
  steps:
    "Associate AmazonEKSClusterAdminPolicy instead of naming system:masters: it can be seen and taken away.",
  types: ["aws:eks/accessEntry:AccessEntry"],
  check({ inputs }) {
    inputs.at("kubernetesGroups").each((group) => {
      if (group.text() === "system:masters") group.refuse("Associate an access policy instead.");
    });
  },
});
