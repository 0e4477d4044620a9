// The arguments of a cluster whose control plane EKS runs: shape and defaults. What they may be together is in problems.ts.
import { z } from "zod";
import { input, type ShapeOf, textMap } from "../../schema";
import { api, pools } from "../common-schema";
import { identity } from "../identity/schema";
import { cidr, networkReference } from "../network/schema";
import { type AccessArgs, type HostedClusterArgs, HostedProvider } from "./args";

/** How much may be done, and by which access policy of EKS. */
export const ACCESS_LEVELS = {
  ClusterAdmin: "AmazonEKSClusterAdminPolicy",
  Admin: "AmazonEKSAdminPolicy",
  Edit: "AmazonEKSEditPolicy",
  View: "AmazonEKSViewPolicy",
  AdminView: "AmazonEKSAdminViewPolicy",
} as const;

const access = z.strictObject({
  name: z.string(),
  principalArn: input(),
  level: z.enum(Object.keys(ACCESS_LEVELS) as (keyof typeof ACCESS_LEVELS)[]).default("View"),
  namespaces: z.array(z.string()).optional(),
} satisfies ShapeOf<AccessArgs>);

/** The arguments of `HostedCluster`. */
export const hostedClusterSchema = z.strictObject({
  network: networkReference,
  version: z.string(),
  pools,
  api,
  tags: textMap().default({}),
  identity: identity.prefault({}),
  provider: z.enum(HostedProvider).default(HostedProvider.Eks),
  nodeVersion: z.string().optional(),
  nodeRelease: z
    .string()
    .refine(
      (text) => /^1\.\d+\.\d+-\d{8}$/.test(text),
      "use a release of EKS's image for nodes like 1.35.2-20261104",
    )
    .optional(),
  access: z.array(access).default([]),
  creatorIsAdmin: z.boolean().default(true),
  serviceCidr: cidr("172.20.0.0/16").optional(),
  addonVersions: textMap().default({}),
  kmsKeyArn: input().optional(),
  logDays: z.int().min(1).default(90),
  deletionProtection: z.boolean().default(true),
} satisfies ShapeOf<HostedClusterArgs>);

/** The arguments of a hosted cluster with all defaults. */
export type HostedClusterSettings = ReturnType<typeof withDerivedDefaults>;

/** Fills in the defaults that follow from other settings. */
export function withDerivedDefaults(settings: z.output<typeof hostedClusterSchema>) {
  return {
    ...settings,
    nodeVersion: settings.nodeVersion ?? settings.version,
    api: { ...settings.api, cidrs: settings.api.cidrs ?? [] },
  };
}
