import { RKE2_VERSIONS, VERSIONS_CHECKED } from "../../../components/cluster/versions";
import { definePolicy } from "../../judge/policy";
import { RKE_CLUSTER } from "../types";

export const versionSupported = definePolicy({
  name: "fleet-cluster-version-supported",
  description: "Clusters of our own run a version that is still mended.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_339"],
  rules: [25],
  steps: "Upgrade one minor version after another. RKE ended on 2025-07-31: move to RKE2.",
  types: [RKE_CLUSTER],
  settings: {
    versions: {
      type: "array",
      items: { type: "string" },
      default: RKE2_VERSIONS.map(({ minor }) => minor),
      description: `Minor versions that may run; those that RKE2 mended on ${VERSIONS_CHECKED}.`,
    },
  },
  check({ inputs, settings }) {
    const distribution = inputs.at("distribution");
    const version = inputs.at("version");
    const minor = /^v?(\d+\.\d+)\./.exec(version.text() ?? "")?.[1] ?? "";
    if (distribution.text() === "rke") distribution.refuse("Move to rke2.");
    else if (!settings.versions.includes(minor))
      version.refuse(`Use one of ${settings.versions.join(", ")}.`);
  },
});
