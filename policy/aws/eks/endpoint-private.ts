import { definePolicy } from "../../core/policy";
import { isInternet } from "../shared/ingress-rules";
import { EKS_CLUSTER } from "../shared/resource-types";

export const endpointPrivate = definePolicy({
  name: "aws-eks-endpoint-private",
  description: "The EKS endpoint is private, or public for named CIDR ranges only.",
  level: "MUST",
  severity: "critical",
  sources: ["FSBP EKS.1", "CKV_AWS_38", "CKV_AWS_39", "CT.EKS.PR.1", "CIS-E 5.4.1", "CIS-E 5.4.2"],
  rules: [22],
  remediationSteps:
    "Set endpointPrivateAccess to true, and endpointPublicAccess to false or publicAccessCidrs to your own ranges.",
  types: [EKS_CLUSTER],
  check({ inputs }) {
    const vpc = inputs.at("vpcConfig");
    vpc.attempt(() => {
      const inside = vpc.at("endpointPrivateAccess");
      if (inside.flag() !== true) inside.reportViolation("Set endpointPrivateAccess to true.");
    });
    vpc.attempt(() => {
      const outside = vpc.at("endpointPublicAccess");
      if (outside.flag() === false) return;
      const ranges = vpc.at("publicAccessCidrs");
      if (ranges.list().length === 0)
        outside.reportViolation(
          "Set endpointPublicAccess to false, or publicAccessCidrs to your own ranges.",
        );
      ranges.each((range) => {
        if (isInternet(range.text())) range.reportViolation("List your own CIDR ranges.");
      });
    });
  },
});
