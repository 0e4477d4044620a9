import { clusterDns } from "../rke2/config";
import type { RegistrySettings, Taint } from "../rke2/settings";
import type { EtcdSnapshotSettings } from "../schema";
import { STATE_MOUNT } from "../scripts/prepare-volume";
import { yaml } from "../../yaml";

/** A machine in RKE's cluster.yml. */
export interface RkeNode {
  /** Its fixed address: by this RKE knows it for good. */
  readonly address: string;
  readonly name: string;
  readonly role: readonly ("controlplane" | "etcd" | "worker")[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

/** What a cluster of RKE is. */
export interface RkeClusterFile {
  readonly clusterName: string;
  readonly version: string;
  readonly user: string;
  readonly port: number;
  /** The file on the runner with the key for the nodes. */
  readonly keyFile: string;
  readonly nodes: readonly RkeNode[];
  /** Names and addresses that the API's certificate holds beside the nodes' own. */
  readonly names: readonly string[];
  readonly clusterCidr: string;
  readonly serviceCidr: string;
  readonly clusterDomain: string;
  readonly cni: string;
  readonly audit: boolean;
  readonly snapshots: EtcdSnapshotSettings & { readonly region: string };
  readonly registries: RegistrySettings;
}

/** The number of the user of etcd's files: the same on every machine that a volume comes to. */
const ETCD_USER = 52034;

/**
 * `cluster.yml` for RKE. Everything that has to outlive a machine lies below the state volume's mount point, by
 * `prefix_path`.
 */
export function rkeClusterFile(file: RkeClusterFile): string {
  return yaml({
    cluster_name: file.clusterName,
    kubernetes_version: file.version,
    ssh_key_path: file.keyFile,
    enable_cri_dockerd: true,
    prefix_path: STATE_MOUNT,
    nodes: file.nodes.map((node) => ({
      address: node.address,
      port: String(file.port),
      internal_address: node.address,
      hostname_override: node.name,
      user: file.user,
      role: node.role,
      labels: node.labels,
      taints: node.taints?.map(({ key, value, effect }) => ({ key, value: value ?? "", effect })),
    })),
    services: {
      etcd: { uid: ETCD_USER, gid: ETCD_USER, backup_config: backups(file.clusterName, file.snapshots) },
      "kube-api": {
        service_cluster_ip_range: file.serviceCidr,
        secrets_encryption_config: { enabled: true },
        audit_log: { enabled: file.audit },
      },
      "kube-controller": { cluster_cidr: file.clusterCidr, service_cluster_ip_range: file.serviceCidr },
      kubelet: {
        cluster_domain: file.clusterDomain,
        cluster_dns_server: clusterDns(file.serviceCidr),
        fail_swap_on: true,
      },
    },
    network: { plugin: file.cni },
    authentication: { strategy: "x509", sans: file.names },
    authorization: { mode: "rbac" },
    private_registries: registries(file.registries),
    upgrade_strategy: { max_unavailable_controlplane: "1", max_unavailable_worker: "1", drain: true },
  });
}

/** RKE knows hours only, and takes the instance's role where it is given no keys. */
function backups(cluster: string, snapshots: EtcdSnapshotSettings & { region: string }): object {
  const { bucket, retention, endpoint } = snapshots;
  return {
    enabled: true,
    interval_hours: 1,
    retention,
    s3backupconfig:
      bucket === undefined
        ? undefined
        : {
            bucket_name: bucket,
            region: snapshots.region,
            folder: snapshots.folder ?? cluster,
            endpoint: endpoint ?? "s3.amazonaws.com",
          },
  };
}

function registries({ logins = [] }: RegistrySettings): object[] | undefined {
  return logins.length === 0
    ? undefined
    : logins.map(({ host, username, password }) => ({ url: host, user: username, password }));
}
