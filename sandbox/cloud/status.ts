// The status of a cloud, as `npm run sandbox -- status` shows it.
import { z } from "zod";

const machine = z.object({
  id: z.string(),
  name: z.string().optional(),
  state: z.enum(["running", "stopped", "crashed"]),
  privateIp: z.string(),
  zone: z.string(),
});

/** What a cloud has and what it could not do. */
export const cloudStatus = z.object({
  machines: z.array(machine),
  volumes: z.array(
    z.object({
      id: z.string(),
      sizeGiB: z.number(),
      state: z.string(),
      machineId: z.string().optional(),
    }),
  ),
  balancers: z.array(z.object({ name: z.string(), ports: z.array(z.number()) })),
  errors: z.array(z.object({ key: z.string(), step: z.string(), message: z.string(), since: z.string() })),
});
/** What a cloud has and what it could not do. */
export type CloudStatus = z.infer<typeof cloudStatus>;
