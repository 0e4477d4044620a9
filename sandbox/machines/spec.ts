import { z } from "zod";

const address = z.ipv4();
const range = z.cidrv4();

/** Credentials of an instance's role as the metadata service gives them out. */
const roleSchema = z.object({
  name: z.string(),
  /** The instance profile, for `iam/info`. */
  profileArn: z.string().optional(),
  credentials: z.object({
    accessKeyId: z.string(),
    secretAccessKey: z.string(),
    sessionToken: z.string(),
    /** When they end, as an ISO date. Give new ones by `setRole` before. */
    expiration: z.string(),
  }),
});

const metadataSchema = z.object({
  /** @default true */
  enabled: z.boolean().optional(),
  /** Whether only IMDSv2 is served. */
  tokensRequired: z.boolean(),
  /** How many network hops the answer to a token request survives. 1 keeps pods out. */
  hopLimit: z.int().min(1).max(64),
  tagsEnabled: z.boolean(),
});

/** A machine as it is asked for. */
export const machineSpec = z.object({
  /** `i-…` */
  id: z.string().regex(/^i-[0-9a-z]+$/),
  privateIp: address,
  subnetCidr: range,
  zone: z.string(),
  hostname: z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/),
  imageId: z.string(),
  instanceType: z.string(),
  region: z.string(),
  accountId: z.string(),
  /** Public keys that may log in as the image's user, each a line of an authorized_keys file. */
  authorizedKeys: z.array(z.string()),
  /** Read by cloud-init: `#cloud-config`, a script, or anything else it knows. */
  userData: z.string().optional(),
  tags: z.record(z.string(), z.string()),
  metadata: metadataSchema,
  role: roleSchema.optional(),
  /** More values below `meta-data/`, by their path, such as `security-groups`. */
  moreMetadata: z.record(z.string(), z.string()).optional(),
});
/** A machine as it is asked for. */
export type MachineSpec = z.infer<typeof machineSpec>;
/** Credentials of an instance's role. */
export type MachineRole = z.infer<typeof roleSchema>;

/** A volume as it is asked for. Whether it is encrypted makes no difference here: its file lies in a private folder. */
export const volumeSpec = z.object({
  /** `vol-…` */
  id: z.string().regex(/^vol-[0-9a-z]+$/),
  sizeGiB: z.int().min(1),
});
/** A volume as it is asked for. */
export type VolumeSpec = z.infer<typeof volumeSpec>;

const healthCheck = z.object({
  protocol: z.enum(["tcp", "http", "https"]),
  /** @default "/" */
  path: z.string().optional(),
  /** @default the target's own port */
  port: z.int().optional(),
  intervalMs: z.number(),
  /** @default the interval, at most 10 s */
  timeoutMs: z.number().optional(),
  healthyThreshold: z.int().min(1),
  unhealthyThreshold: z.int().min(1),
});
/** How it is found out whether a target can take connections. */
export type HealthCheck = z.infer<typeof healthCheck>;

/** A target: a machine by its id, or any address. */
const target = z.object({ machineId: z.string().optional(), ip: address.optional(), port: z.int() });

/** A load balancer for TCP as it is asked for. */
export const loadBalancerSpec = z.object({
  id: z.string(),
  /** Its name in the sandbox's network. */
  name: z.string().optional(),
  /** Its addresses, each in a subnet. */
  addresses: z.array(z.object({ ip: address, subnetCidr: range })),
  listeners: z.array(z.object({ port: z.int(), healthCheck, targets: z.array(target) })),
});
/** A load balancer for TCP as it is asked for. */
export type LoadBalancerSpec = z.infer<typeof loadBalancerSpec>;

const side = z.enum(["inside", "outside"]);
/** A door between the sandbox's network and the host's loopback address. */
export const forwardSpec = z.object({
  id: z.string().regex(/^[a-z0-9-]+$/),
  listen: z.object({ side, host: address, port: z.int() }),
  target: z.object({ side, host: address, port: z.int() }),
});
/** A door between the sandbox's network (`inside`) and the host's own (`outside`, loopback only). */
export type ForwardSpec = z.infer<typeof forwardSpec>;

/** A range of addresses that lie behind a machine, like a route of a VPC to an instance. */
export const routeSpec = z.object({ cidr: range, machineId: z.string() });
/** A range of addresses that lie behind a machine. */
export type RouteSpec = z.infer<typeof routeSpec>;
