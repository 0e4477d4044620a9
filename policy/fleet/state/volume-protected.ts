import { VOLUME } from "../../aws/types";
import { definePolicy } from "../../judge/policy";
import { STATE_TAG, STATE_VOLUME } from "../types";

export const volumeProtected = definePolicy({
  name: "fleet-state-volume-protected",
  description: "Volumes with a cluster's state are protected, and stay when the program forgets them.",
  level: "MUST",
  severity: "critical",
  sources: [],
  rules: ["product"],
  // The engine tells policies whether a resource is protected and not whether it is retained: our component's own argument says that.
  steps: "Leave servers.retain at true; of volumes of your own set protect and retainOnDelete.",
  types: [VOLUME, STATE_VOLUME],
  check({ resource, inputs, refuse }) {
    if (resource.type === STATE_VOLUME) {
      const retain = inputs.at("retain");
      if (retain.flag() === false) retain.refuse("Set retain to true.");
    } else if (inputs.at("tags", STATE_TAG).isSet && !resource.isProtected) {
      refuse("the option protect", "not set", "Set protect: true, and retainOnDelete: true beside it.");
    }
  },
});
