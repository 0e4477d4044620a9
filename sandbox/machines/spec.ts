import { z } from "zod";

const address = z.ipv4();
const range = z.cidrv4();

/** The role of an instance profile with its credentials, as the metadata service returns them. */
const roleSchema = z.object({
  name: z.string(),
  /** The instance profile, for `iam/info`. */
  profileArn: z.string().optional(),
  credentials: z.object({
    accessKeyId: z.string(),
    secretAccessKey: z.string(),
    sessionToken: z.string(),
    /** When they expire, as an ISO date. Set new ones with `MachineHost.update` before. */
    expiration: z.string(),
  }),
});

const metadataSchema = z.object({
  /** @default true */
  enabled: z.boolean().optional(),
  /** Whether only IMDSv2 is served. */
  tokensRequired: z.boolean(),
  /** How many network hops the answer to a token request may travel. 1 keeps pods out. */
  hopLimit: z.int().min(1).max(64),
  tagsEnabled: z.boolean(),
});

/** The specification of a machine. */
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
  /** Read by cloud-init: `#cloud-config`, a script, or any other format that it supports. */
  userData: z.string().optional(),
  tags: z.record(z.string(), z.string()),
  metadata: metadataSchema,
  role: roleSchema.optional(),
  /** More values below `meta-data/`, by their path, such as `security-groups`. */
  moreMetadata: z.record(z.string(), z.string()).optional(),
});
/** The specification of a machine. */
export type MachineSpec = z.infer<typeof machineSpec>;
/** What can change of a machine while it runs. */
export type MachineChanges = Partial<Omit<MachineSpec, "id" | "privateIp" | "subnetCidr">>;
/** The role of an instance profile with its credentials. */
export type MachineRole = z.infer<typeof roleSchema>;

/** The specification of a volume. Encryption makes no difference here: its file is in a private folder. */
export const volumeSpec = z.object({
  /** `vol-…` */
  id: z.string().regex(/^vol-[0-9a-z]+$/),
  sizeGiB: z.int().min(1),
});
/** The specification of a volume. */
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
/** How the health of a target is checked. */
export type HealthCheck = z.infer<typeof healthCheck>;

/** A target: a machine by its id, or any address. */
const target = z.object({ machineId: z.string().optional(), ip: address.optional(), port: z.int() });

/** The specification of a TCP load balancer. */
export const loadBalancerSpec = z.object({
  id: z.string(),
  /** Its DNS name in the sandbox's network. */
  name: z.string().optional(),
  /** Its addresses, each in a subnet, with the public one that leads there. */
  addresses: z.array(z.object({ ip: address, subnetCidr: range, publicIp: address.optional() })),
  listeners: z.array(z.object({ port: z.int(), healthCheck, targets: z.array(target) })),
});
/** The specification of a TCP load balancer. */
export type LoadBalancerSpec = z.infer<typeof loadBalancerSpec>;

const side = z.enum(["inside", "outside"]);
/** A port-forward between the sandbox's network and the host's loopback address. */
export const portForwardSpec = z.object({
  id: z.string().regex(/^[a-z0-9-]+$/),
  listen: z.object({ side, host: address, port: z.int() }),
  target: z.object({ side, host: address, port: z.int() }),
});
/** A port-forward between the sandbox's network (`inside`) and the host's own (`outside`, loopback only). */
export type PortForwardSpec = z.infer<typeof portForwardSpec>;

/** A range of addresses behind a machine, like a VPC's route to an instance. */
export const routeSpec = z.object({ cidr: range, machineId: z.string() });
/** A range of addresses behind a machine. */
export type RouteSpec = z.infer<typeof routeSpec>;
