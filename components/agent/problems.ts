// The checks of our own programs' arguments: shape, defaults and values. Loads no SDK of a cloud: a stack's settings are
// checked before they do.
import { z } from "zod";
import { imageByDigest as image } from "../image";
import { check, type Checked, input, type ShapeOf, textMap } from "../schema";
import { withoutTransform } from "../transform";
import type { AgentArgs } from "./agent";
import type { CoordinatorArgs } from "./coordinator";

const logLevel = z.enum(["debug", "info", "warn", "error"]).default("info");

const agentSchema = z.strictObject({
  image,
  namespace: input(),
  onShutdown: z.enum(["keep", "lock"]).default("keep"),
  rke2Releases: z.string().optional(),
  logLevel,
  serviceMonitor: z.boolean().default(false),
  labels: textMap().default({}),
} satisfies ShapeOf<AgentArgs>);

const coordinatorSchema = z.strictObject({
  image,
  namespace: input(),
  replicas: z.int().min(1).max(5).default(2),
  controllers: z.string().default("*"),
  logLevel,
  serviceAccountAnnotations: textMap().default({}),
  awsSecret: z
    .string()
    .max(253)
    .refine(
      (name) => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name),
      "use the name of a Secret, such as coordinator-aws",
    )
    .optional(),
  serviceMonitor: z.boolean().default(false),
  labels: textMap().default({}),
} satisfies ShapeOf<CoordinatorArgs>);

/** What a stack's settings say of each: the program fills in the rest. */
const fromProgram = { namespace: true, labels: true } as const;
export const agentSettings = agentSchema.omit(fromProgram).partial({ image: true });
export const coordinatorSettings = coordinatorSchema.omit(fromProgram).partial({ image: true });

/** The arguments of the agent with all defaults. */
export type AgentSettings = z.output<typeof agentSchema>;
/** The arguments of the coordinator with all defaults. */
export type CoordinatorSettings = z.output<typeof coordinatorSchema>;

/** Fills in the defaults of the agent's arguments, and finds all that is wrong with them. */
export function checkAgent(args: AgentArgs): Checked<AgentSettings> {
  return check(agentSchema, withoutTransform(args));
}

/** Fills in the defaults of the coordinator's arguments, and finds all that is wrong with them. */
export function checkCoordinator(args: CoordinatorArgs): Checked<CoordinatorSettings> {
  return check(coordinatorSchema, withoutTransform(args));
}
