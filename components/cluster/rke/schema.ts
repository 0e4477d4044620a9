// The arguments of a cluster on machines of your own: shape and defaults. What they may be together is in problems.ts.
import { z } from "zod";
import { RKE2_RELEASES } from "../../../lib/node-scripts/install-rke2";
import { input, type ShapeOf, textMap } from "../../schema";
import { isDeferred } from "../../problem";
import { api, pools } from "../common-schema";
import { identity } from "../identity/schema";
import { cidr, networkReference } from "../network/schema";
import { NETWORKS } from "../network/ports";
import {
  type AwsEndpointArgs,
  Distribution,
  type HardeningArgs,
  type PodNetworkArgs,
  type ReleaseArgs,
  type RkeClusterArgs,
  type ServersArgs,
  type TokenArgs,
} from "./args";
import { freeSettings } from "./rke2/free-settings";
import type { RegistryLogin, RegistryMirror, RegistrySettings, SnapshotSettings } from "./rke2/settings";
import { RKE_RELEASES } from "./scripts/run-rke";
import { DEFAULT_PORT, DEFAULT_USER, type LoginArgs, type ProxyArgs } from "./login-args";
import type { VolumeSnapshotArgs } from "./volume-snapshots";

const servers = z.strictObject({
  count: z
    .int()
    .refine((count) => [1, 3, 5].includes(count), "use 1, 3 or 5, so that etcd keeps a majority")
    .default(3),
  instanceType: z.string().default("m7i.large"),
  imageId: input().optional(),
  rootVolumeSize: z.int().min(1).default(40),
  volumeSize: z.int().min(1).default(20),
  volumeIops: z.int().min(3000).default(3000),
  volumeThroughput: z.int().min(125).default(125),
  volumeKmsKeyId: input().optional(),
  volumeSnapshotIds: textMap().default({}),
  dedicated: z.boolean().optional(),
  retain: z.boolean().default(true),
} satisfies ShapeOf<ServersArgs>);

const port = (): z.ZodNumber => z.int().min(1).max(65535);

const proxy = z.strictObject({
  host: input(),
  // The command provider asks for keys of the given type only, and by that name RSA signs with SHA-1, which servers do no more.
  hostKey: input().refine(
    (line) => typeof line !== "string" || !line.trim().startsWith("ssh-rsa "),
    "give the proxy's Ed25519 or ECDSA host key: with an RSA one the command provider finds no algorithm that servers still use",
  ),
  port: z
    .custom<Exclude<ProxyArgs["port"], undefined>>(
      (value) => isDeferred(value) || typeof value === "number",
      "use a whole number",
    )
    .default(DEFAULT_PORT),
  user: input(),
  privateKey: input().optional(),
} satisfies ShapeOf<ProxyArgs>);

const login = z.strictObject({
  privateKey: input().refine(
    (key) => typeof key !== "string" || key.includes("PRIVATE KEY"),
    "give the private SSH key for the nodes as a secret: the text of the file, with its BEGIN and END lines",
  ),
  user: z.string().default(DEFAULT_USER),
  port: port().default(DEFAULT_PORT),
  fromCidrs: z.array(input()).optional(),
  proxy: proxy.optional(),
} satisfies ShapeOf<LoginArgs>);

const podNetwork = z.strictObject({
  clusterCidr: cidr("10.42.0.0/16").default("10.42.0.0/16"),
  serviceCidr: cidr("10.43.0.0/16").default("10.43.0.0/16"),
  clusterDomain: z.string().default("cluster.local"),
  cni: z.enum(Object.keys(NETWORKS)).default("canal"),
  nodePortCidrs: z.array(cidr("203.0.113.0/24")).default([]),
  metricsPorts: z.array(port()).default([]),
} satisfies ShapeOf<PodNetworkArgs>);

const hardening = z.strictObject({
  cis: z.boolean().default(true),
  audit: z.boolean().default(true),
  secretsEncryption: z.enum(["aescbc", "secretbox"]).optional(),
} satisfies ShapeOf<HardeningArgs>);

const digest = z.string().regex(/^[0-9a-f]{64}$/, "use the SHA-256 in 64 hexadecimal digits");

const release = z.strictObject({
  url: z.string().optional(),
  digests: z.record(z.string(), digest).default({}),
} satisfies ShapeOf<ReleaseArgs>);

const etcdSnapshots = z.strictObject({
  schedule: z.string().default("0 * * * *"),
  retention: z.int().min(1).default(24),
  bucket: z.string().optional(),
  folder: z.string().optional(),
  region: z.string().optional(),
  endpoint: z.string().optional(),
  insecure: z.boolean().default(false),
} satisfies ShapeOf<SnapshotSettings>);

const HOURS = [1, 2, 3, 4, 6, 8, 12, 24];

const volumeSnapshots = z.strictObject({
  everyHours: z
    .int()
    .refine((hours) => HOURS.includes(hours), `use one of ${HOURS.join(", ")}`)
    .default(24),
  at: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "use a time of day in UTC like 03:00")
    .default("03:00"),
  keep: z.int().min(1).default(7),
} satisfies ShapeOf<VolumeSnapshotArgs>);

const registrySettings = z.strictObject({
  mirrors: z
    .array(
      z.strictObject({
        registry: z.string(),
        endpoints: z.array(z.string()).min(1),
      } satisfies ShapeOf<RegistryMirror>),
    )
    .default([]),
  logins: z
    .array(
      z.strictObject({
        host: z.string(),
        username: z.string(),
        password: z.string(),
        caFile: z.string().optional(),
      } satisfies ShapeOf<RegistryLogin>),
    )
    .default([]),
} satisfies ShapeOf<RegistrySettings>);

/** The arguments of `RkeCluster`. */
export const rkeClusterSchema = z.strictObject({
  distribution: z.enum(Distribution).default(Distribution.Rke2),
  network: networkReference,
  version: z.string(),
  pools,
  api,
  bastionGroupId: input().optional(),
  tags: textMap().default({}),
  identity: identity.prefault({}),
  login,
  bootstrap: z.boolean().default(false),
  rejoin: z.array(z.string()).default([]),
  servers: servers.prefault({}),
  podNetwork: podNetwork.prefault({}),
  hardening: hardening.prefault({}),
  disable: z.array(z.string()).default([]),
  etcdSnapshots: etcdSnapshots.prefault({}),
  volumeSnapshots: volumeSnapshots.prefault({}),
  snapshotVolumes: z.boolean().default(true),
  registries: z
    .custom<Exclude<RkeClusterArgs["registries"], undefined>>()
    .superRefine((value, context) => {
      if (isDeferred(value)) return;
      const result = registrySettings.safeParse(value);
      for (const issue of result.error?.issues ?? [])
        // The issue already has its path below this one.
        context.addIssue({ ...issue });
    })
    .default({}),
  release: release.prefault({}),
  token: z.strictObject({ server: input(), agent: input() } satisfies ShapeOf<TokenArgs>).optional(),
  awsEndpoints: z
    .strictObject({
      ssm: z.string().optional(),
      autoScaling: z.string().optional(),
    } satisfies ShapeOf<AwsEndpointArgs>)
    .prefault({}),
  imageName: z
    .string()
    .refine(
      (text) => /^debian-12-amd64-\d{8}-\d+$/.test(text),
      "use the name of an image like debian-12-amd64-20261103-2285",
    )
    .optional(),
  pullFromEcr: z.boolean().default(false),
  nodePolicyArns: z.array(z.string()).default([]),
  ...freeSettings,
} satisfies ShapeOf<RkeClusterArgs>);

/** The arguments of an RKE2 or RKE cluster with all defaults. */
export type RkeClusterSettings = ReturnType<typeof withDerivedDefaults>;

/** How nodes are logged in to, with all defaults. */
export type LoginSettings = RkeClusterSettings["login"];

/** Where copies of etcd go, with all defaults. */
export type EtcdSnapshotSettings = RkeClusterSettings["etcdSnapshots"];

/** From where each distribution comes, unless a stack says otherwise. */
export const RELEASES: Readonly<Record<Distribution, string>> = {
  [Distribution.Rke2]: RKE2_RELEASES,
  [Distribution.Rke]: RKE_RELEASES,
};

/** Fills in the defaults that follow from other settings. */
export function withDerivedDefaults(settings: z.output<typeof rkeClusterSchema>) {
  const { servers, pools: list, api: access, network, login: own, release: source, distribution } = settings;
  const inside = [network.cidr];
  return {
    ...settings,
    servers: { ...servers, dedicated: servers.dedicated ?? list.length > 0 },
    api: { ...access, cidrs: access.cidrs ?? inside },
    // Through a bastion is one way to log in, and nobody needs a second.
    login: { ...own, fromCidrs: own.fromCidrs ?? (settings.bastionGroupId === undefined ? inside : []) },
    release: { ...source, url: source.url ?? RELEASES[distribution] },
  };
}
