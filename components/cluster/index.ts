// Clusters, whatever runs them, and the parts that they are made of.
export { accessToBuilt, accessToExisting, type Access } from "./access";
export { ClusterKind, type ClusterArgs } from "./args";
export { Cluster } from "./cluster";
export * from "./eks/args";
export { HostedCluster } from "./eks/hosted-cluster";
export * from "./identity/args";
export * from "./network/args";
export { Network } from "./network/network";
export type { NetworkReference, SubnetReference } from "./network/network-reference";
export type { NodePoolOutput, StateVolumeOutput } from "./outputs";
export * from "./rke/args";
export type { LoginArgs, ProxyArgs } from "./rke/login-args";
export { NodePool, type NodePoolArgs, type NodePoolTransforms } from "./rke/node-pool";
export { RkeCluster } from "./rke/rke-cluster";
export { Server, type ServerArgs, type ServerTransforms } from "./rke/server";
export { newLoginKey } from "./rke/ssh-login";
export { StateVolume, type StateVolumeArgs, type StateVolumeTransforms } from "./rke/state-volume";
export { EKS_VERSIONS, RKE2_VERSIONS, RKE_VERSIONS, VERSIONS_CHECKED } from "../../api/kubernetes-versions";
