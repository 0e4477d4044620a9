import { EKS_VERSIONS, VERSIONS_CHECKED } from "../../../api/kubernetes-versions";
import { definePolicy } from "../../core/policy";
import { EKS_CLUSTER, NODE_GROUP } from "../shared/resource-types";

export const versionSupported = definePolicy({
  name: "aws-eks-version-supported",
  description: "EKS clusters and node groups run a version in standard support.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_339", "FSBP EKS.2"],
  rules: [25],
  remediationSteps:
    "Upgrade one minor version at a time, the control plane first. The supported versions are in api/kubernetes-versions.ts.",
  types: [EKS_CLUSTER, NODE_GROUP],
  settings: {
    versions: {
      type: "array",
      items: { type: "string" },
      default: EKS_VERSIONS.map(({ minor }) => minor),
      description: `Allowed minor versions. Default: those in standard support on ${VERSIONS_CHECKED}.`,
    },
  },
  check({ inputs, settings }) {
    const version = inputs.at("version");
    const found = version.text();
    // Without a version EKS takes the newest, and a node group its cluster's.
    if (found !== undefined && !settings.versions.includes(found))
      version.reportViolation(`Use one of ${settings.versions.join(", ")}.`);
  },
});
