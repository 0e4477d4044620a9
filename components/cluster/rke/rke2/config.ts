import { AddressRange } from "../../network/address-range";
import { yaml } from "../../yaml";
import { AUDIT_POLICY_FILE } from "./audit-policy";
import type { EtcdSnapshotSettings } from "../schema";
import { header } from "./free-files";
import { type FreeContext, withFreeKeys } from "./free-settings";
import type { ServerSettings, Taint } from "./settings";

/** Where RKE2 reads its settings. */
export const CONFIG_FILE = "/etc/rancher/rke2/config.yaml";

/**
 * Where the API server finds whose tokens it takes. RKE2 mounts every file that an argument of the API server names, and
 * starts it again when the file changes.
 */
export const AUTHENTICATION_FILE = "/etc/rancher/rke2/authentication.yaml";

/** What one server has of its own. */
export interface Member {
  /** The node's name. */
  readonly node: string;
  /** Its fixed address. */
  readonly address: string;
}

/**
 * A server's `config.yaml`. Where it registers is not in it: that is decided when it starts (see `runServer`). The
 * settings that RKE2 wants to be equal on all servers come from one value and are.
 */
export function serverConfig(member: Member, settings: ServerSettings): string {
  const own = {
    token: settings.token,
    "agent-token": settings.agentToken,
    "node-name": member.node,
    "node-ip": member.address,
    "tls-san": settings.names,
    "cluster-cidr": settings.clusterCidr,
    "service-cidr": settings.serviceCidr,
    "cluster-dns": clusterDns(settings.serviceCidr),
    "cluster-domain": settings.clusterDomain,
    cni: settings.cni,
    "node-label": [`fleetwright.dev/cluster=${settings.clusterName}`, "fleetwright.dev/node-pool=servers"],
    "node-taint": settings.dedicated ? ["node-role.kubernetes.io/control-plane=:NoSchedule"] : undefined,
    "write-kubeconfig-mode": "0600",
    disable: settings.disable.length === 0 ? undefined : settings.disable,
    ...(settings.cis ? { profile: "cis", "kube-apiserver-arg": apiServerArguments(settings) } : {}),
    ...(settings.audit ? { "audit-policy-file": AUDIT_POLICY_FILE } : {}),
    ...((settings.audit || settings.oidc !== undefined) && !settings.cis
      ? { "kube-apiserver-arg": apiServerArguments(settings) }
      : {}),
    "secrets-encryption-provider": settings.secretsEncryption,
    ...snapshotSettings(settings.clusterName, settings.snapshots, settings.serverCount),
  };
  return header(settings.free, "server") + yaml(withFreeKeys(own, settings.free?.free, "server"));
}

/** What the nodes of a pool have in common. */
export interface AgentSettings {
  readonly clusterName: string;
  readonly pool: string;
  /** Tells nodes of one generation from those of another. */
  readonly generation: string;
  /** In the secure form, with the digest of the CA. */
  readonly token: string;
  /** `https://…:9345` */
  readonly registration: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly cis: boolean;
  /** Whether images come from private registries of ECR. */
  readonly pullFromEcr: boolean;
  /** What a person set beyond all this. */
  readonly free?: FreeContext;
}

/** An agent's `config.yaml`. Its node's name is the instance's id and written on the node. */
export function agentConfig(settings: AgentSettings): string {
  const labels = {
    ...settings.labels,
    "fleetwright.dev/cluster": settings.clusterName,
    "fleetwright.dev/node-pool": settings.pool,
    "fleetwright.dev/generation": settings.generation,
  };
  const own = {
    server: settings.registration,
    token: settings.token,
    "node-label": Object.entries(labels).map(([key, value]) => `${key}=${value}`),
    "node-taint":
      settings.taints.length === 0
        ? undefined
        : settings.taints.map(({ key, value, effect }) => `${key}=${value ?? ""}:${effect}`),
    profile: settings.cis ? "cis" : undefined,
  };
  return header(settings.free, "agent") + yaml(withFreeKeys(own, settings.free?.free, "agent"));
}

/** The address of the cluster's DNS service: the tenth of the services' range, as RKE2 has it by default. */
export function clusterDns(serviceCidr: string): string | undefined {
  return AddressRange.parse(serviceCidr)?.host(10);
}

function apiServerArguments({ cis, audit, oidc }: ServerSettings): string[] {
  return [
    ...(audit ? ["audit-log-maxage=30", "audit-log-maxbackup=10", "audit-log-maxsize=100"] : []),
    // The CIS profile of RKE2 asks for it from Kubernetes 1.29 on.
    ...(cis ? ["service-account-extend-token-expiration=false"] : []),
    ...(oidc === undefined ? [] : [`authentication-config=${AUTHENTICATION_FILE}`]),
  ];
}

/** No access keys: RKE2 takes the instance's role when it has none. */
function snapshotSettings(
  cluster: string,
  snapshots: EtcdSnapshotSettings & { region: string },
  servers: number,
): object {
  const { schedule, retention, bucket, endpoint, insecure } = snapshots;
  return {
    "etcd-snapshot-schedule-cron": schedule,
    "etcd-snapshot-retention": retention,
    "etcd-snapshot-compress": true,
    ...(bucket === undefined
      ? {}
      : {
          "etcd-s3": true,
          // In the bucket RKE2 counts the snapshots of all servers together.
          "etcd-s3-retention": retention * servers,
          "etcd-s3-bucket": bucket,
          "etcd-s3-region": snapshots.region,
          "etcd-s3-folder": snapshots.folder ?? cluster,
          "etcd-s3-endpoint": endpoint,
          "etcd-s3-insecure": insecure ? true : undefined,
        }),
  };
}
