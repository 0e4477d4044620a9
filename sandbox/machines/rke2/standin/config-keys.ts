/** Where a key may stand. */
export type KeyScope = "server" | "agent" | "both";

/** How the value of a key is written. */
export type KeyKind = "text" | "flag" | "number" | "list";

/** What is known of one key of RKE2's configuration. */
export interface ConfigKey {
  kind: KeyKind;
  scope: KeyScope;
  /** Whether the stand-in acts on it; if not, why it may be ignored in the sandbox. */
  ignored?: string;
  /** Its value is never written to a log. */
  secret?: boolean;
}

const server = (kind: KeyKind, more: Partial<ConfigKey> = {}): ConfigKey => ({
  kind,
  scope: "server",
  ...more,
});
const both = (kind: KeyKind, more: Partial<ConfigKey> = {}): ConfigKey => ({ kind, scope: "both", ...more });
const because = (ignored: string): Partial<ConfigKey> => ({ ignored });

const noPods = because("the control plane runs as processes of the service, not as static pods");
const noRegistry = because("no image registry can be reached from the sandbox");
const noSelinux = because("the machines' kernel has no SELinux");
const noCharts = because("no Helm charts are deployed");
const noTunnel = because("the API server reaches kubelets directly");

const EXTRA_COMPONENTS = [
  "kube-apiserver",
  "kube-scheduler",
  "kube-controller-manager",
  "kube-proxy",
  "etcd",
  "cloud-controller-manager",
];

function extras(): Record<string, ConfigKey> {
  const rows = EXTRA_COMPONENTS.flatMap((name) => [
    [`${name}-extra-mount`, server("list", noPods)] as const,
    [`${name}-extra-env`, server("list", noPods)] as const,
    [`${name}-image`, server("text", noPods)] as const,
  ]);
  return Object.fromEntries(rows);
}

/**
 * Every key of RKE2's configuration file and every flag of `rke2 server` and `rke2 agent`, as its reference pages list
 * them for 1.34 and 1.35. What is in it with `ignored` is accepted and has no effect; what is not in it is refused.
 */
export const CONFIG_KEYS: Readonly<Record<string, ConfigKey>> = {
  // Common
  config: both("text"),
  debug: both("flag"),
  "data-dir": both("text"),
  // Listener
  "bind-address": server("text"),
  "advertise-address": server("text"),
  "tls-san": server("list"),
  "tls-san-security": server("flag", because("certificates never get names that were not asked for")),
  // Networking
  "cluster-cidr": server("text"),
  "service-cidr": server("text"),
  "service-node-port-range": server("text"),
  "cluster-dns": server("text"),
  "cluster-domain": server("text"),
  "egress-selector-mode": server("text", noTunnel),
  "servicelb-namespace": server("text", because("there is no service load balancer")),
  cni: server("list"),
  "ingress-controller": server("list", noCharts),
  // Cluster
  token: both("text", { secret: true }),
  "token-file": both("text"),
  "agent-token": server("text", { secret: true }),
  "agent-token-file": server("text"),
  server: both("text"),
  "cluster-reset": server("flag"),
  "cluster-reset-restore-path": server("text"),
  // Client
  "write-kubeconfig": server("text"),
  "write-kubeconfig-mode": server("text"),
  "write-kubeconfig-group": server("text"),
  "helm-job-image": server("text", noCharts),
  // Arguments of components
  "etcd-arg": server("list"),
  "kube-apiserver-arg": server("list"),
  "kube-scheduler-arg": server("list"),
  "kube-controller-manager-arg": server("list"),
  "kube-cloud-controller-manager-arg": server("list", because("there is no cloud controller manager")),
  "kubelet-arg": both("list"),
  "kube-proxy-arg": both("list"),
  // Datastore
  "etcd-disable-snapshots": server("flag"),
  "etcd-snapshot-name": server("text"),
  "etcd-snapshot-schedule-cron": server("text"),
  "etcd-snapshot-retention": server("number"),
  "etcd-snapshot-dir": server("text"),
  "etcd-snapshot-compress": server("flag", because("snapshots are kept as they are")),
  "etcd-snapshot-reconcile-interval": server("text", because("snapshots are listed from where they lie")),
  "etcd-expose-metrics": server("flag"),
  "etcd-s3": server("flag"),
  "etcd-s3-endpoint": server("text"),
  "etcd-s3-endpoint-ca": server("text"),
  "etcd-s3-skip-ssl-verify": server("flag"),
  "etcd-s3-access-key": server("text", { secret: true }),
  "etcd-s3-secret-key": server("text", { secret: true }),
  "etcd-s3-session-token": server("text", { secret: true }),
  "etcd-s3-bucket": server("text"),
  "etcd-s3-bucket-lookup-type": server("text"),
  "etcd-s3-region": server("text"),
  "etcd-s3-folder": server("text"),
  "etcd-s3-retention": server("number"),
  "etcd-s3-proxy": server("text", because("there is no proxy in the sandbox's network")),
  "etcd-s3-config-secret": server(
    "text",
    because("give the settings as keys; RKE2 cannot use the Secret at a restore either"),
  ),
  "etcd-s3-insecure": server("flag"),
  "etcd-s3-timeout": server("text"),
  // Components
  disable: server("list"),
  "disable-scheduler": server("flag"),
  "disable-cloud-controller": server("flag"),
  "disable-kube-proxy": server("flag"),
  "disable-apiserver": server("flag", because("every server of the sandbox has all roles")),
  "disable-controller-manager": server("flag", because("every server of the sandbox has all roles")),
  "disable-etcd": server("flag", because("every server of the sandbox has all roles")),
  "enable-servicelb": server("flag", because("there is no service load balancer")),
  "embedded-registry": server("flag", noRegistry),
  "supervisor-metrics": server("flag", because("the supervisor has no metrics")),
  "secrets-encryption": server("flag", because("secrets are always encrypted, as in RKE2")),
  "secrets-encryption-provider": server("text"),
  // Security
  profile: both("text"),
  "audit-policy-file": server("text"),
  "pod-security-admission-config-file": server("text"),
  selinux: both("flag", noSelinux),
  "protect-kernel-defaults": both("flag"),
  "control-plane-resource-requests": server("list", noPods),
  "control-plane-resource-limits": server("list", noPods),
  "control-plane-probe-configuration": server("list", noPods),
  ...extras(),
  // Cloud
  "cloud-provider-name": both("text"),
  "cloud-provider-config": both("text", because("there is no cloud controller manager")),
  "node-name-from-cloud-provider-metadata": both("flag"),
  // Node
  "node-name": both("text"),
  "with-node-id": both("flag"),
  "node-label": both("list"),
  "node-taint": both("list"),
  "node-ip": both("list"),
  "node-external-ip": both("list"),
  "node-internal-dns": both("list", because("nodes are found by their address")),
  "node-external-dns": both("list", because("nodes are found by their address")),
  "resolv-conf": both("text"),
  "private-registry": both("text"),
  "system-default-registry": both("text", noRegistry),
  "airgap-extra-registry": both("list", noRegistry),
  "disable-default-registry-endpoint": both("flag", noRegistry),
  "image-credential-provider-bin-dir": both("text", noRegistry),
  "image-credential-provider-config": both("text", noRegistry),
  "container-runtime-endpoint": both("text", because("the machine's own containerd is used")),
  "image-service-endpoint": both("text", because("the machine's own containerd is used")),
  "default-runtime": both("text", because("runc is the only runtime")),
  "nonroot-devices": both("flag", because("the machine's own containerd is used")),
  snapshotter: both("text", because("overlayfs is the only snapshotter")),
  "lb-server-port": both("number", because("the supervisor is asked directly")),
  "prefer-bundled-bin": both("flag", because("nothing is bundled")),
  "enable-pprof": both("flag", because("there is nothing to profile")),
  "kubelet-path": both("text", because("the kubelet comes with the release")),
  "disable-agent": server("flag", because("every server is a node")),
  v: both("number", because("components log at their default level")),
  vmodule: both("text", because("components log at their default level")),
};

/** Whether a key may stand in the configuration of a role. */
export function keyOf(name: string, role: "server" | "agent"): ConfigKey | undefined {
  const key = Object.hasOwn(CONFIG_KEYS, name) ? CONFIG_KEYS[name] : undefined;
  return key !== undefined && (key.scope === "both" || key.scope === role) ? key : undefined;
}
