import { z } from "zod";

const end = z.object({ side: z.enum(["inside", "outside"]), host: z.ipv4(), port: z.int() });

/** A port-forward between the sandbox's network ("inside") and the host's loopback address ("outside"). */
export const portForward = z.object({ listen: end, target: end });
/** A port-forward between the sandbox's network ("inside") and the host's loopback address ("outside"). */
export type PortForward = z.infer<typeof portForward>;
