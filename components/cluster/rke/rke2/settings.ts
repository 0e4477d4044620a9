import type { OidcSettings } from "../../identity/schema";
import type { EtcdSnapshotSettings } from "../schema";
import type { FreeContext } from "./free-settings";

/** A taint of a node. */
export interface Taint {
  /** @example "dedicated" */
  key: string;
  /** @default "" */
  value?: string;
  /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. */
  effect: string;
}

/** A mirror that images of a registry are pulled from. */
export interface RegistryMirror {
  /** The registry that is mirrored; `*` is every one. @example "docker.io" */
  registry: string;
  /** Tried in this order. @example ["https://mirror.example.com"] */
  endpoints: string[];
}

/** How to log in to a registry. */
export interface RegistryLogin {
  /** Host, with the port if there is one. @example "mirror.example.com" */
  host: string;
  username: string;
  /** Give it as a Pulumi secret. */
  password: string;
  /** A PEM file on the node with the registry's CA. @default the system's */
  caFile?: string;
}

/** Registries as nodes use them. */
export interface RegistrySettings {
  mirrors?: RegistryMirror[];
  logins?: RegistryLogin[];
}

/** Where copies of etcd go, beside the volumes. */
export interface SnapshotSettings {
  /** When a server makes one. @default "0 * * * *" */
  schedule?: string;
  /** How many are kept of each server, on its state volume and in the bucket. @default 24 */
  retention?: number;
  /** The bucket; it must outlive the cluster, so it is not the cluster's own. @default on the state volume only */
  bucket?: string;
  /** @default the cluster's name */
  folder?: string;
  /** @default the provider's region */
  region?: string;
  /** Host and port of another service that speaks S3. @default that of AWS */
  endpoint?: string;
  /** Whether that service is asked without TLS. @default false */
  insecure?: boolean;
}

/** What all servers of a cluster have in common. */
export interface ServerSettings {
  clusterName: string;
  /** How many servers share the bucket of the snapshots. */
  serverCount: number;
  token: string;
  agentToken: string;
  /** Names and addresses that the API's certificate holds beside the node's own. */
  names: string[];
  clusterCidr: string;
  serviceCidr: string;
  clusterDomain: string;
  cni: string;
  /** Whether ordinary pods stay off the servers. */
  dedicated: boolean;
  /** Packaged components that are left out. */
  disable: string[];
  /** Whether images come from private registries of ECR. */
  pullFromEcr: boolean;
  cis: boolean;
  audit: boolean;
  secretsEncryption: string | undefined;
  snapshots: EtcdSnapshotSettings & { region: string };
  registries: RegistrySettings;
  /** Who vouches for people beside the cluster itself. */
  oidc: OidcSettings | undefined;
  /** What a person set beyond all this. */
  free?: FreeContext;
}
