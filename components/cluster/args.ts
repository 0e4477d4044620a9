import type { IdentityArgs } from "./identity/args";
import type { BastionTransforms } from "./bastion/args";
import type { IamArgs } from "./iam-settings";
import type { HostedArgs, HostedClusterTransforms } from "./eks/args";
import type { NetworkArgs, NetworkTransforms } from "./network/args";
import type { ApiArgs, PoolArgs, RkeClusterTransforms, SelfManagedArgs } from "./rke/args";

/** What runs the cluster. */
export enum ClusterKind {
  /** RKE2 on machines of your own. */
  Rke2 = "rke2",
  /** RKE on machines of your own. It ended on 2025-07-31. */
  Rke = "rke",
  /** A control plane that the cloud runs. */
  Hosted = "hosted",
}

/** The arguments of `Cluster`. */
export interface ClusterArgs {
  /** @default ClusterKind.Rke2 */
  kind?: ClusterKind;
  /** @example "v1.35.7+rke2r1" for RKE2, "1.35" for a hosted cluster */
  version: string;
  /** @default a network of its own over 3 zones */
  network?: Omit<NetworkArgs, "transform">;
  /** @default [] */
  pools?: PoolArgs[];
  /** @default inside the network only */
  api?: ApiArgs;
  /** Who vouches for people beside the cluster itself; not for `rke`. @default {} */
  identity?: IdentityArgs;
  /** For `rke2` and `rke`, which need it. */
  selfManaged?: SelfManagedArgs;
  /** For `hosted`. @default {} */
  hosted?: HostedArgs;
  /** What every role that is made has in common. @default {} */
  iam?: IamArgs;
  /** Tags for everything. @default {} */
  tags?: Record<string, string>;
  /** Overrides for the children of the network, and of whatever runs the cluster. @default none */
  transform?: {
    network?: NetworkTransforms;
    bastion?: BastionTransforms;
    rke?: RkeClusterTransforms;
    hosted?: HostedClusterTransforms;
  };
}
