// The arguments of a network: shape, defaults and checks. Loads no SDK of a cloud, so that settings can be checked first.
import { z } from "zod";
import { found, type Problem } from "../../problem";
import { check, type Checked, input, refined, type ShapeOf, textMap } from "../../schema";
import { withoutTransform } from "../../transform";
import { AccessMode } from "../bastion/args";
import { accessMode, accessProblems, bastionSchema } from "../bastion/schema";
import { AddressRange } from "./address-range";
import { type ExistingNetwork, NatMode, type NetworkArgs } from "./args";
import { openRangeProblems } from "./open-ranges";
import type { NetworkReference, SubnetReference } from "./network-reference";
import { MAX_ZONES, rangeFix } from "./subnet-plan";

/** A range of addresses such as `10.0.0.0/16`. */
export function cidr(example: string): z.ZodString {
  return z
    .string()
    .refine((text) => AddressRange.parse(text) !== undefined, `use a range of addresses like ${example}`);
}

const subnet = z.strictObject({
  id: input(),
  zone: input(),
  cidr: cidr("10.0.48.0/24").optional(),
} satisfies ShapeOf<SubnetReference>);

const subnets = z.array(subnet);

const existing = z.strictObject({
  vpcId: z.string(),
  cidr: cidr("10.20.0.0/16"),
  privateSubnets: subnets.min(1, "name a subnet for each zone"),
  publicSubnets: subnets.default([]),
  controlSubnets: subnets.default([]),
} satisfies ShapeOf<ExistingNetwork>);

/** A network as other components use it; its parts may be known only later. */
export const networkReference = z.strictObject({
  vpcId: input(),
  cidr: input(),
  privateSubnets: subnets,
  publicSubnets: subnets.default([]),
  controlSubnets: subnets.default([]),
} satisfies ShapeOf<NetworkReference>);

/** The arguments of `Network`. */
export const networkSchema = z.strictObject({
  cidr: z
    .string()
    .superRefine((text, context) => {
      const fix = rangeFix(text);
      if (fix !== undefined) context.addIssue({ code: "custom", message: fix });
    })
    .default("10.0.0.0/16"),
  zones: z.int().min(1).max(MAX_ZONES).optional(),
  zoneNames: z.array(z.string()).optional(),
  nat: z.enum(NatMode).default(NatMode.Single),
  privateEndpoints: z.boolean().default(true),
  flowLogs: z.boolean().default(true),
  flowLogDays: z.int().min(1).default(30),
  access: z.enum(AccessMode).optional(),
  bastion: bastionSchema.optional(),
  existing: existing.optional(),
  tags: textMap().default({}),
} satisfies ShapeOf<NetworkArgs>);

/** The arguments of a network with all defaults. */
export type NetworkSettings = z.output<typeof networkSchema>;

/** Fills in the defaults of a network's arguments, and finds all that is wrong with them. */
export function checkNetwork(args: NetworkArgs): Checked<NetworkSettings> {
  return refined(check(networkSchema, withoutTransform(args)), networkProblems);
}

/** What is wrong with a network beyond its single arguments. */
export function networkProblems(settings: NetworkSettings): Problem[] {
  const { zones, zoneNames } = settings;
  const access = [
    ...accessProblems(settings),
    ...openRangeProblems("bastion.from", settings.bastion?.from ?? []),
    ...(accessMode(settings) === AccessMode.Bastion && settings.existing?.publicSubnets.length === 0
      ? [
          {
            path: "existing.publicSubnets",
            message: found([], "a bastion stands in a public subnet; name one, or set access to direct"),
          },
        ]
      : []),
  ];
  if (settings.existing !== undefined || zoneNames === undefined) return access;
  return [
    ...access,
    ...(zoneNames.length >= 1 && zoneNames.length <= MAX_ZONES
      ? []
      : [{ path: "zoneNames", message: found(zoneNames, `name 1 to ${MAX_ZONES} zones`) }]),
    ...(zones !== undefined && zones !== zoneNames.length
      ? [
          {
            path: "zones",
            message: found(zones, `zoneNames has ${zoneNames.length}; set only one of the two`),
          },
        ]
      : []),
    ...(new Set(zoneNames).size === zoneNames.length
      ? []
      : [{ path: "zoneNames", message: found(zoneNames, "name each zone once") }]),
  ];
}

/** How many zones a network has. */
export function zoneCount({ existing: given, zones, zoneNames }: NetworkSettings): number {
  return given?.privateSubnets.length ?? zones ?? zoneNames?.length ?? 3;
}
