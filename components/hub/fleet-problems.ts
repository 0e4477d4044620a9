// The checks of the arguments of a fleet and of the hub's controllers: shape, defaults and values. Loads no SDK.
import { z } from "zod";
import { MAX_CLUSTER_NAME } from "../../api";
import { imageByDigest } from "../image";
import type { Problem } from "../problem";
import { check, type Checked, input, refined, type ShapeOf, textMap } from "../schema";
import { withoutTransform } from "../transform";
import type { FleetArgs, FleetMemberArgs, FleetTopologyArgs, HubControllersArgs } from "./fleet-args";

const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const KIND = /^[a-z0-9]+(\.[-a-z0-9]+)+$/;

const topology = z.strictObject({
  provider: z.string().optional(),
  region: z.string().optional(),
  zone: z.string().optional(),
} satisfies ShapeOf<FleetTopologyArgs>);

/** Where a member is and what it is called, without the way to it. */
export const memberShape = {
  name: z
    .string()
    .max(MAX_CLUSTER_NAME, `use at most ${MAX_CLUSTER_NAME} characters`)
    .regex(NAME, 'use a-z, 0-9 and "-", beginning and ending with a letter or digit'),
  accepted: z.boolean().default(true),
  onRemove: z.enum(["Orphan", "Delete"]).default("Orphan"),
  topology: topology.default({}),
  kinds: z
    .array(z.string().regex(KIND, "use resource.group, such as certificates.cert-manager.io"))
    .default([]),
};

const member = z.strictObject({ ...memberShape, kubeconfig: input() } satisfies ShapeOf<FleetMemberArgs>);

const fleetSchema = z.strictObject({
  hub: input(),
  members: z.array(member),
  kinds: z.boolean().default(true),
  labels: textMap().default({}),
} satisfies ShapeOf<FleetArgs>);

const controllersSchema = z.strictObject({
  image: imageByDigest,
  namespace: input(),
  kubeconfig: input(),
  replicas: z.int().min(1).max(5).default(2),
  controllers: z.string().default("*"),
  syncers: z.enum(["push", "none"]).default("push"),
  apiPorts: z.array(z.int().min(1).max(65_535)).min(1).default([443, 6443]),
  logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
  labels: textMap().default({}),
} satisfies ShapeOf<HubControllersArgs>);

/** A member in a stack's file: the way to it is a context of the kubeconfig. */
export const configuredMember = z.strictObject({ ...memberShape, kubeContext: z.string().min(1) });

/** What a stack says of the hub that its cluster belongs to. */
export const configuredHub = z.strictObject({
  ...memberShape,
  name: memberShape.name.optional(),
  kubeContext: z.string().min(1),
});

/** The arguments of a fleet with all defaults. */
export type FleetSettings = z.output<typeof fleetSchema>;
/** A member with all defaults. */
export type MemberSettings = FleetSettings["members"][number];
/** The arguments of the hub's controllers with all defaults. */
export type HubControllersSettings = z.output<typeof controllersSchema>;

/** Fills in the defaults of a fleet's arguments, and finds all that is wrong with them. */
export function checkFleet(args: FleetArgs): Checked<FleetSettings> {
  return refined(check(fleetSchema, withoutTransform(args)), ({ members }) => namedTwice(members));
}

/** Fills in the defaults of the arguments of the hub's controllers, and finds all that is wrong with them. */
export function checkHubControllers(args: HubControllersArgs): Checked<HubControllersSettings> {
  return check(controllersSchema, withoutTransform(args));
}

/** Members of one name. */
export function namedTwice(members: readonly { name: string }[]): Problem[] {
  return members.flatMap(({ name }, index) =>
    members.findIndex((one) => one.name === name) === index
      ? []
      : [
          {
            path: `members[${index}].name`,
            message: `found ${JSON.stringify(name)} twice: give each member a name of its own`,
          },
        ],
  );
}
