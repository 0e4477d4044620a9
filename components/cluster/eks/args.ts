import type * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import type { Transform } from "../../transform";
import type { IdentityArgs } from "../identity/args";
import type { NetworkReference } from "../network/network-reference";
import type { ApiArgs, PoolArgs } from "../rke/args";
import type { NodeGroupTransforms } from "./node-group";
import type { EksRoleTransforms } from "./roles";

/** Who runs the control plane. Others can come to stand beside it. */
export enum HostedProvider {
  /** Amazon EKS. */
  Eks = "eks",
}

/** Who may use the cluster. */
export interface AccessArgs {
  /** A name for it in the program. @example "operators" */
  name: string;
  /** The role or user in AWS. */
  principalArn: pulumi.Input<string>;
  /** `ClusterAdmin`, `Admin`, `Edit`, `View` or `AdminView`. @default "View" */
  level?: string;
  /** Only these namespaces. @default the whole cluster */
  namespaces?: string[];
}

/** What is asked of a cluster that a cloud runs. */
export interface HostedArgs {
  /** @default HostedProvider.Eks */
  provider?: HostedProvider;
  /** The version of nodes, so that the control plane can go first. @default the cluster's version */
  nodeVersion?: string;
  /** The release of EKS's image for nodes. Another one replaces nodes one after another: this is how they are patched. @default the newest one when a group is made or its version raised; it then stays @example "1.35.2-20261104" */
  nodeRelease?: string;
  /** @default [] */
  access?: AccessArgs[];
  /** Whether whoever creates the cluster administers it. Counts at its creation. @default true */
  creatorIsAdmin?: boolean;
  /** Services. @default the cloud's choice @example "172.20.0.0/16" */
  serviceCidr?: string;
  /** Versions of add-ons by name. @default those that the cloud recommends @example { coredns: "v1.12.4-eksbuild.1" } */
  addonVersions?: Record<string, string>;
  /** The key that encrypts Secrets. @default one of the cluster's own */
  kmsKeyArn?: pulumi.Input<string>;
  /** How long logs of the control plane are kept. @default 90 */
  logDays?: number;
  /** Whether the cloud refuses to delete the cluster, and the engine too. @default true */
  deletionProtection?: boolean;
}

/** The arguments of `HostedCluster`. */
export interface HostedClusterArgs extends HostedArgs {
  network: NetworkReference;
  /** @example "1.35" */
  version: string;
  /** @default [] */
  pools?: PoolArgs[];
  api?: ApiArgs;
  /** Who vouches for people beside AWS. @default {} */
  identity?: IdentityArgs;
  /** Tags for everything. @default {} */
  tags?: Record<string, string>;
  /** Overrides for the children. @default none */
  transform?: HostedClusterTransforms;
}

/** Overrides for the children of `HostedCluster`. */
export interface HostedClusterTransforms extends EksRoleTransforms, NodeGroupTransforms {
  cluster?: Transform<aws.eks.ClusterArgs>;
  addon?: Transform<aws.eks.AddonArgs>;
  logGroup?: Transform<aws.cloudwatch.LogGroupArgs>;
  identityProvider?: Transform<aws.eks.IdentityProviderConfigArgs>;
}
