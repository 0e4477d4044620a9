import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Labels } from "../addons/args";
import type { Transform } from "../transform";

/** The API servers that a hub can have. */
export enum HubServer {
  /** Ours: workloads and custom kinds, no pods, with its controllers in it. */
  HubApiserver = "hub-apiserver",
  /** Kubernetes' own, with kube-controller-manager beside it: pods are accepted, and nobody runs them. */
  KubeApiserver = "kube-apiserver",
}

/** The arguments of `Hub`. */
export interface HubArgs {
  /** Which API server: `hub-apiserver` or `kube-apiserver`. @default "hub-apiserver" */
  server?: string;
  /**
   * The image of hub-apiserver with etcd in it, by its digest (docs/how-to/hub-server.md has the way). Needed unless `server` is kube-apiserver.
   * @example "registry.example.com/fleetwright/hub-apiserver@sha256:…"
   */
  image?: string;
  /** The images of Kubernetes' own programs, for `server: kube-apiserver`. @default none */
  kubernetes?: HubKubernetesArgs;
  /** The namespace, which the component makes. @default "fleetwright-hub" */
  namespace?: string;
  /** The address by which members and people reach it. @default that of its Service, inside the cluster */
  endpoint?: pulumi.Input<string>;
  /** An etcd of your own, with which there are three servers instead of one. @default one server with its own etcd on a volume */
  etcd?: HubEtcdArgs;
  /** The volume of the server's own etcd. @default 20Gi of the default storage class */
  volume?: HubVolumeArgs;
  /** Whether the volume and the keys stay when the stack is destroyed. @default true */
  retain?: boolean;
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
  transform?: HubTransforms;
}

/** Images of Kubernetes' own programs, each by its digest. */
export interface HubKubernetesArgs {
  /** @example "registry.k8s.io/kube-apiserver@sha256:…" */
  apiServerImage: string;
  /** @example "registry.k8s.io/kube-controller-manager@sha256:…" */
  controllerManagerImage: string;
  /** Needed unless `etcd` is set. @example "registry.k8s.io/etcd@sha256:…" */
  etcdImage?: string;
}

/** An etcd outside the hub. */
export interface HubEtcdArgs {
  /** Its client URLs. @example ["https://etcd-0.example.com:2379"] */
  servers: pulumi.Input<string>[];
  /** A Secret in the hub's namespace with `ca.crt`, `tls.crt` and `tls.key`; made by whoever runs that etcd. */
  secretName: pulumi.Input<string>;
  /** Where its members are, as CIDRs, for the network policy. @example ["10.0.16.0/20"] */
  networks: string[];
  /** How many servers use it. @default 3 */
  replicas?: number;
}

/** The volume of the hub's data. */
export interface HubVolumeArgs {
  /** @default "20Gi" */
  size?: string;
  /** @default the cluster's default */
  storageClass?: string;
}

/** Overrides for the children of `Hub`. */
export interface HubTransforms {
  namespace?: Transform<kubernetes.core.v1.NamespaceArgs>;
  volume?: Transform<kubernetes.core.v1.PersistentVolumeClaimArgs>;
  deployment?: Transform<kubernetes.apps.v1.DeploymentArgs>;
  service?: Transform<kubernetes.core.v1.ServiceArgs>;
  networkPolicy?: Transform<kubernetes.networking.v1.NetworkPolicyArgs>;
}
