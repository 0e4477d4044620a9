import { definePolicy } from "../../judge/policy";
import { isWorld } from "../ec2/open-doors";
import { EKS_CLUSTER } from "../types";

export const endpointPrivate = definePolicy({
  name: "aws-eks-endpoint-private",
  description: "The API of an EKS cluster is reached from inside, and from outside by named ranges at most.",
  level: "MUST",
  severity: "critical",
  sources: ["FSBP EKS.1", "CKV_AWS_38", "CKV_AWS_39", "CT.EKS.PR.1", "CIS-E 5.4.1", "CIS-E 5.4.2"],
  rules: [22],
  steps:
    "Set endpointPrivateAccess to true, and endpointPublicAccess to false or publicAccessCidrs to your own ranges.",
  types: [EKS_CLUSTER],
  check({ inputs }) {
    const vpc = inputs.at("vpcConfig");
    vpc.attempt(() => {
      const inside = vpc.at("endpointPrivateAccess");
      if (inside.flag() !== true) inside.refuse("Set endpointPrivateAccess to true.");
    });
    vpc.attempt(() => {
      const outside = vpc.at("endpointPublicAccess");
      if (outside.flag() === false) return;
      const ranges = vpc.at("publicAccessCidrs");
      if (ranges.list().length === 0)
        outside.refuse("Set endpointPublicAccess to false, or publicAccessCidrs to your own ranges.");
      ranges.each((range) => {
        if (isWorld(range.text())) range.refuse("Name your own ranges.");
      });
    });
  },
});
