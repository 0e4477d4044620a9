import { VOLUME } from "../../aws/types";
import { defineStackPolicy } from "../../judge/policy";
import type { Resource } from "../../judge/resource";
import { isProduction } from "../../judge/verdict";
import { STATE_TAG } from "../types";

export const quorum = defineStackPolicy({
  name: "fleet-state-quorum",
  description:
    "A cluster's state is kept by an odd number of members, over zones of which any one can be lost.",
  level: "MUST",
  severity: "critical",
  sources: [],
  rules: ["product"],
  steps: "Use 3 or 5 servers over 3 zones; one server is for trying out.",
  types: [VOLUME],
  check({ stack, around, outputs, each, refuse }) {
    const clusters = new Map<string, { volumes: Resource[]; zones: Map<string, number> }>();
    each(stack.of(VOLUME), (volume, properties) => {
      const tag = properties.at("tags", STATE_TAG);
      if (!tag.isSet) return;
      const cluster = tag.shown();
      const entry = clusters.get(cluster) ?? { volumes: [], zones: new Map<string, number>() };
      clusters.set(cluster, entry);
      entry.volumes.push(volume);
      const zone = outputs(volume).at("availabilityZone").shown();
      entry.zones.set(zone, (entry.zones.get(zone) ?? 0) + 1);
    });
    for (const [cluster, { volumes, zones }] of clusters) {
      const count = volumes.length;
      const [first] = volumes;
      const of = `the state of ${cluster}`;
      if (count % 2 === 0)
        refuse(
          first,
          of,
          `kept by ${count} members`,
          "Use an odd number: the even one more adds only a way to fail.",
        );
      else if (count === 1 && isProduction(around.environment))
        refuse(first, of, "kept by one member", "Use 3 or 5 servers in production.");
      const [zone, most] = [...zones].sort(([, a], [, b]) => b - a)[0] ?? ["", 0];
      if (count >= 3 && most > Math.floor((count - 1) / 2))
        refuse(
          first,
          of,
          `kept by ${most} of ${count} members in the zone ${zone}`,
          "Spread them, so that the majority outlives any zone.",
        );
    }
  },
});
