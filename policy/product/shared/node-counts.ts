import { AUTO_SCALING_GROUP, INSTANCE, LAUNCH_TEMPLATE, NODE_GROUP } from "../../aws/shared/resource-types";
import type { Property } from "../../core/property";
import type { Resource, Stack } from "../../core/resource";

/** The types that are nodes or make them. */
export const NODES = [INSTANCE, AUTO_SCALING_GROUP, NODE_GROUP];

/** How many nodes a resource may come to be, if an autoscaler does its worst. */
export function mostNodes({ type }: Resource, outputs: Property): number {
  if (type === INSTANCE) return 1;
  const most = type === NODE_GROUP ? outputs.at("scalingConfig", "maxSize") : outputs.at("maxSize");
  return most.number() ?? 0;
}

/** The types of machine that a resource may start, and what describes their disks. */
export function machinesOf(
  stack: Stack,
  resource: Resource,
  outputs: (resource: Resource) => Property,
): { types: Property[]; template: Property | undefined } {
  const own = outputs(resource);
  const [template] = stack.behind(resource, "launchTemplate").filter(({ type }) => type === LAUNCH_TEMPLATE);
  const described = template === undefined ? undefined : outputs(template);
  const named = [own.at("instanceType"), ...own.at("instanceTypes").list()].filter(({ isSet }) => isSet);
  const types = named.length > 0 || described === undefined ? named : [described.at("instanceType")];
  return { types, template: described };
}
