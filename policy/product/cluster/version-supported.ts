import { RKE2_VERSIONS, VERSIONS_CHECKED } from "../../../api/kubernetes-versions";
import { definePolicy } from "../../core/policy";
import { RKE_CLUSTER } from "../shared/resource-types";

export const versionSupported = definePolicy({
  name: "product-cluster-version-supported",
  description: "RKE2 clusters run a supported version.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_339"],
  rules: [25],
  remediationSteps:
    "Upgrade one minor version at a time. RKE reached its end of life on 2025-07-31: migrate to RKE2.",
  types: [RKE_CLUSTER],
  settings: {
    versions: {
      type: "array",
      items: { type: "string" },
      default: RKE2_VERSIONS.map(({ minor }) => minor),
      description: `Allowed minor versions. Default: those that RKE2 supported on ${VERSIONS_CHECKED}.`,
    },
  },
  check({ inputs, settings }) {
    const distribution = inputs.at("distribution");
    const version = inputs.at("version");
    const minor = /^v?(\d+\.\d+)\./.exec(version.text() ?? "")?.[1] ?? "";
    if (distribution.text() === "rke") distribution.reportViolation("Migrate to rke2.");
    else if (!settings.versions.includes(minor))
      version.reportViolation(`Use one of ${settings.versions.join(", ")}.`);
  },
});
