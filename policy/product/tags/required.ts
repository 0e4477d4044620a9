import {
  AUTO_SCALING_GROUP,
  EKS_CLUSTER,
  INSTANCE,
  LAUNCH_TEMPLATE,
  LOAD_BALANCERS,
  NODE_GROUP,
  VOLUME,
  VPC,
} from "../../aws/shared/resource-types";
import { definePolicy } from "../../core/policy";
import { isRecord, type Property } from "../../core/property";
import { CLUSTER_TAG, POOL_TAG } from "../shared/resource-types";

const OF_POOLS = [LAUNCH_TEMPLATE, AUTO_SCALING_GROUP, NODE_GROUP];

export const required = definePolicy({
  name: "product-tags-required",
  description: "Resources that cost money have the required tags.",
  level: "MUST",
  severity: "low",
  sources: [],
  rules: ["product"],
  remediationSteps: "Set tags in fleetwright:cluster, or defaultTags on the provider.",
  types: [
    ...OF_POOLS,
    ...LOAD_BALANCERS,
    INSTANCE,
    VOLUME,
    VPC,
    EKS_CLUSTER,
    "aws:ec2/natGateway:NatGateway",
    "aws:kms/key:Key",
  ],
  settings: {
    tags: {
      type: "array",
      items: { type: "string" },
      default: [CLUSTER_TAG, "owner", "cost-centre"],
      description: "Required tags.",
    },
    poolTags: {
      type: "array",
      items: { type: "string" },
      default: [POOL_TAG],
      description: "Additional required tags for node pools.",
    },
  },
  check({ resource, inputs, settings }) {
    const tags = inputs.at("tags");
    const given = [...namesOf(tags), ...defaultTags(resource.provider.defaultTags)];
    const wanted = OF_POOLS.includes(resource.type)
      ? [...settings.tags, ...settings.poolTags]
      : settings.tags;
    const missing = wanted.filter((tag) => !given.includes(tag));
    if (missing.length > 0)
      tags.reportViolation(
        `Add ${missing.join(", ")}.`,
        given.length === 0 ? "not set" : `only ${given.join(", ")}`,
      );
  },
});

/** Auto scaling groups write their tags as a list. */
function namesOf(tags: Property): string[] {
  const fields = tags.fields().map(([name]) => name);
  return fields.length > 0 ? fields : tags.list().flatMap((tag) => tag.at("key").text() ?? []);
}

/** Settings of providers reach policies as JSON in a text. */
function defaultTags(given: unknown): string[] {
  let value = given;
  if (typeof value === "string") {
    try {
      value = JSON.parse(value);
    } catch {
      return [];
    }
  }
  return isRecord(value) && isRecord(value.tags) ? Object.keys(value.tags) : [];
}
