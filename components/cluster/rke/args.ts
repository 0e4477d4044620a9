import type * as pulumi from "@pulumi/pulumi";
import type { LoginArgs } from "./login-args";
import type { IdentityArgs } from "../identity/args";
import type { NetworkReference } from "../network/network-reference";
import type { FreeArgs } from "./rke2/free-args";
import type { RegistrySettings, SnapshotSettings, Taint } from "./rke2/settings";
import type { ControlPlaneTransforms } from "./control-plane";
import type { NodePoolTransforms } from "./node-pool";
import type { RoleTransforms } from "./node-role";
import type { ServerTransforms } from "./server";
import type { VolumeSnapshotArgs } from "./volume-snapshots";

/** Which Kubernetes of Rancher's a cluster runs. */
export enum Distribution {
  Rke2 = "rke2",
  /** Ended on 2025-07-31; only for those who run it. */
  Rke = "rke",
}

/** The control plane. */
export interface ServersArgs {
  /** 1, 3 or 5; more than one over as many zones that any zone can be lost. @default 3 */
  count?: number;
  /** @default "m7i.large" */
  instanceType?: string;
  /** @default the newest Debian 12 when a machine is first made */
  imageId?: pulumi.Input<string>;
  /** In GiB. @default 40 */
  rootVolumeSize?: number;
  /** The state volume, in GiB. It can grow. @default 20 */
  volumeSize?: number;
  /** @default 3000 */
  volumeIops?: number;
  /** In MiB/s. @default 125 */
  volumeThroughput?: number;
  /** @default the account's key for EBS */
  volumeKmsKeyId?: pulumi.Input<string>;
  /** Snapshots from which the state volumes begin, by member; for a whole cluster at once. @example { "server-0": "snap-…" } */
  volumeSnapshotIds?: Record<string, string>;
  /** Whether ordinary pods stay off the servers. @default true where there are pools */
  dedicated?: boolean;
  /** Whether volumes, interfaces and tokens are protected and stay when the program forgets them. @default true */
  retain?: boolean;
}

/** Nodes that are all alike. */
export interface PoolArgs {
  /** @example "web" */
  name: string;
  /** @default 2 */
  count?: number;
  /** The fewest an autoscaler may leave. @default count */
  min?: number;
  /** The most an autoscaler may make. @default count */
  max?: number;
  /** @default "m7i.large" */
  instanceType?: string;
  /** @default the newest Debian 12 when the pool is first made */
  imageId?: pulumi.Input<string>;
  /** In GiB. @default 40 */
  rootVolumeSize?: number;
  /** @default {} */
  labels?: Record<string, string>;
  /** @default [] */
  taints?: Taint[];
}

/** How the API is reached. */
export interface ApiArgs {
  /** Ranges that may use it. Never 0.0.0.0/0. @default the network's own range */
  cidrs?: string[];
  /** Whether it can be reached from the internet too, for `cidrs` only: by a second load balancer, or EKS's public endpoint. @default false */
  isPublic?: boolean;
  /** More names for the API's certificate. @example ["k8s.example.com"] */
  names?: string[];
  /** Where clients ask, and without `isPublic` nodes register too, if not at the load balancer's own name. @default the load balancer's DNS name */
  address?: pulumi.Input<string>;
}

/** Addresses inside the cluster. */
export interface PodNetworkArgs {
  /** Pods. @default "10.42.0.0/16" */
  clusterCidr?: string;
  /** Services. @default "10.43.0.0/16" */
  serviceCidr?: string;
  /** @default "cluster.local" */
  clusterDomain?: string;
  /** `canal`, `calico`, `cilium` or `flannel`. @default "canal" */
  cni?: string;
  /** Ranges that may use NodePort services. @default [] */
  nodePortCidrs?: string[];
  /** TCP ports of nodes at which a Prometheus in the cluster may ask, beside that of our agent. @default [] @example [9100] */
  metricsPorts?: number[];
}

/** How strictly the cluster is set up. */
export interface HardeningArgs {
  /** RKE2's CIS profile. @default true */
  cis?: boolean;
  /** Whether the API writes down who did what. @default true */
  audit?: boolean;
  /** How Secrets are encrypted in etcd: `aescbc` or `secretbox`. They always are. @default RKE2's own choice */
  secretsEncryption?: string;
}

/** Where RKE2 or RKE itself comes from. */
export interface ReleaseArgs {
  /** Below it lie the versions. Another place than the default needs HTTPS, and `digests`. @default the project's own releases */
  url?: string;
  /** SHA-256 of the download (`rke2.linux-amd64.tar.gz`, `rke_linux-amd64`) by version. @default those that the project's own releases name */
  digests?: Record<string, string>;
}

/** Addresses of the services of AWS that nodes of pools use. */
export interface AwsEndpointArgs {
  /** Systems Manager, from which they fetch how to join. @default that of the region */
  ssm?: string;
  /** EC2 Auto Scaling, which they tell that they have joined, or left. @default that of the region */
  autoScaling?: string;
}

/** The cluster's secrets, where they are not made here: for a cluster that is rebuilt from its snapshots. */
export interface TokenArgs {
  /** Without it no snapshot of etcd can be read. */
  server: pulumi.Input<string>;
  agent: pulumi.Input<string>;
}

/** What is asked of a cluster on machines of your own, whatever runs on them. */
export interface SelfManagedArgs extends FreeArgs {
  login: LoginArgs;
  /** Allows blank volumes to be formatted and a cluster to be founded. Counts only when volumes are first used. @default false */
  bootstrap?: boolean;
  /** Members that may begin again with a blank volume and join. @default [] @example ["server-1"] */
  rejoin?: string[];
  servers?: ServersArgs;
  podNetwork?: PodNetworkArgs;
  hardening?: HardeningArgs;
  /** Packaged components of RKE2 that are left out. @default [] @example ["rke2-ingress-nginx"] */
  disable?: string[];
  etcdSnapshots?: SnapshotSettings;
  /** Copies of the state volumes by EBS. @default once a day, seven are kept */
  volumeSnapshots?: VolumeSnapshotArgs;
  /** Whether EBS makes copies of the state volumes at all. @default true */
  snapshotVolumes?: boolean;
  registries?: pulumi.Input<RegistrySettings>;
  release?: ReleaseArgs;
  token?: TokenArgs;
  /** Where nodes of pools find AWS. @default the region's own addresses */
  awsEndpoints?: AwsEndpointArgs;
  /** Debian's image for every node without an `imageId` of its own, by its name. Another name replaces all of them, one after another: this is how nodes are patched. @default the newest one when a machine is first made; it then stays @example "debian-12-amd64-20261103-2285" */
  imageName?: string;
  /** Whether nodes pull from private registries of ECR with the role of their instance; for `rke2`. Registries of other accounts have to allow it. @default false */
  pullFromEcr?: boolean;
  /** More policies for the role of every node. @default [] @example ["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"] */
  nodePolicyArns?: string[];
}

/** The arguments of `RkeCluster`. */
export interface RkeClusterArgs extends SelfManagedArgs {
  /** @default Distribution.Rke2 */
  distribution?: Distribution;
  network: NetworkReference;
  /** @example "v1.35.7+rke2r1" */
  version: string;
  /** @default [] */
  pools?: PoolArgs[];
  api?: ApiArgs;
  /** The security group of a bastion, which may then log in to nodes and use the API. @default none */
  bastionGroupId?: pulumi.Input<string>;
  /** Who vouches for people beside the cluster itself; for RKE2 only. @default {} */
  identity?: IdentityArgs;
  /** Tags for everything. @default {} */
  tags?: Record<string, string>;
  /** Overrides for the children. @default none */
  transform?: RkeClusterTransforms;
}

/** Overrides for the children of `RkeCluster`. */
export interface RkeClusterTransforms
  extends ControlPlaneTransforms, ServerTransforms, NodePoolTransforms, RoleTransforms {}
