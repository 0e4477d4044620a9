import { z } from "zod";
import { loadBalancerSpec, machineSpec } from "../spec";

const end = z.union([z.object({ host: z.string(), port: z.int() }), z.object({ path: z.string() })]);

/** All that a network helper serves. It is always sent whole, so that it cannot differ from the machine host's record. */
export const networkHelperState = z.object({
  machines: z.array(machineSpec),
  listeners: z.array(
    z.object({
      loadBalancer: z.string(),
      addresses: z.array(z.string()),
      port: z.int(),
      healthCheck: loadBalancerSpec.shape.listeners.element.shape.healthCheck,
      targets: z.array(z.object({ ip: z.string(), port: z.int() })),
    }),
  ),
  relays: z.array(z.object({ id: z.string(), listen: end, target: end })),
  names: z.record(z.string(), z.array(z.string())),
});
/** All that a network helper serves. */
export type NetworkHelperState = z.infer<typeof networkHelperState>;
