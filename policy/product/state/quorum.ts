import { VOLUME } from "../../aws/shared/resource-types";
import { defineStackPolicy } from "../../core/policy";
import type { Resource } from "../../core/resource";
import { isProduction } from "../../core/evaluation";
import { STATE_TAG } from "../shared/resource-types";

export const quorum = defineStackPolicy({
  name: "product-state-quorum",
  description: "Clusters have an odd number of etcd members, and keep a quorum if one zone fails.",
  level: "MUST",
  severity: "critical",
  sources: [],
  rules: ["product"],
  remediationSteps: "Use 3 or 5 servers over 3 zones. Use a single server for testing only.",
  types: [VOLUME],
  check({ stack, context, outputs, each, reportViolation }) {
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
      const of = `etcd of ${cluster}`;
      if (count % 2 === 0)
        reportViolation(
          first,
          of,
          `run by ${count} members`,
          "Use an odd number: an even one adds no fault tolerance.",
        );
      else if (count === 1 && isProduction(context.environment))
        reportViolation(first, of, "run by one member", "Use 3 or 5 servers in production.");
      const [zone, most] = [...zones].sort(([, a], [, b]) => b - a)[0] ?? ["", 0];
      if (count >= 3 && most > Math.floor((count - 1) / 2))
        reportViolation(
          first,
          of,
          `run by ${most} of ${count} members in zone ${zone}`,
          "Spread the servers over zones, so that a quorum survives the loss of any zone.",
        );
    }
  },
});
