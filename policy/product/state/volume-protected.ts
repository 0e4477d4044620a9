import { VOLUME } from "../../aws/shared/resource-types";
import { definePolicy } from "../../core/policy";
import { STATE_TAG, STATE_VOLUME } from "../shared/resource-types";

export const volumeProtected = definePolicy({
  name: "product-state-volume-protected",
  description: "State volumes are protected and retained on delete.",
  level: "MUST",
  severity: "critical",
  sources: [],
  rules: ["product"],
  // The engine tells policies whether a resource is protected and not whether it is retained: our component's own argument says that.
  remediationSteps: "Leave servers.retain at true. For volumes of your own set protect and retainOnDelete.",
  types: [VOLUME, STATE_VOLUME],
  check({ resource, inputs, reportViolation }) {
    if (resource.type === STATE_VOLUME) {
      const retain = inputs.at("retain");
      if (retain.flag() === false) retain.reportViolation("Set retain to true.");
    } else if (inputs.at("tags", STATE_TAG).isSet && !resource.isProtected) {
      reportViolation("the option protect", "not set", "Set protect and retainOnDelete to true.");
    }
  },
});
