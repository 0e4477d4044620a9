import { z } from "zod";

const end = z.object({ side: z.enum(["inside", "outside"]), host: z.ipv4(), port: z.int() });

/** A door between the sandbox's network and the host's loopback address, as the cloud's process takes it. */
export const forwardOptions = z.object({ listen: end, target: end });
/** A door between the sandbox's network and the host's loopback address. */
export type ForwardOptions = z.infer<typeof forwardOptions>;
