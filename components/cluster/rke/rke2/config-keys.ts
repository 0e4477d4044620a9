// Which keys of RKE2's config.yaml a person may set, and which setting of ours stands for one that the program writes.

/** Keys that agents know too; all others are for servers only. From RKE2's reference page of `rke2 agent`. */
const AGENT_KEYS = new Set([
  "airgap-extra-registry",
  "cloud-provider-config",
  "cloud-provider-name",
  "container-runtime-endpoint",
  "debug",
  "default-runtime",
  "disable-default-registry-endpoint",
  "enable-pprof",
  "image-credential-provider-bin-dir",
  "image-credential-provider-config",
  "image-service-endpoint",
  "kube-proxy-arg",
  "kubelet-path",
  "lb-server-port",
  "node-external-dns",
  "node-internal-dns",
  "nonroot-devices",
  "prefer-bundled-bin",
  "protect-kernel-defaults",
  "resolv-conf",
  "selinux",
  "snapshotter",
  "v",
  "vmodule",
]);

/** Whether an agent knows a key. */
export function isForAgents(key: string): boolean {
  return AGENT_KEYS.has(key);
}

/** What stands for a key that the program writes: the setting, or why there is none. */
const OWNED: Readonly<Record<string, string>> = {
  "agent-token": "use token.agent",
  "agent-token-file": "use token.agent",
  "audit-policy-file": "use hardening.audit",
  "cluster-cidr": "use podNetwork.clusterCidr",
  "cluster-dns": "it is the tenth address of podNetwork.serviceCidr",
  "cluster-domain": "use podNetwork.clusterDomain",
  "cluster-reset": "it is a command of a person on a server, never a setting",
  "cluster-reset-restore-path": "it is a command of a person on a server, never a setting",
  cni: "use podNetwork.cni",
  config: "the program writes the file",
  "data-dir": "it is the state volume, always",
  disable: "use disable",
  "disable-agent": "every server is a node",
  "disable-apiserver": "every server has all roles",
  "disable-controller-manager": "every server has all roles",
  "disable-etcd": "every server has all roles",
  "kubelet-arg": "use kubeletArgs",
  "node-external-ip": "nodes have private addresses only",
  "node-ip": "it is the server's fixed address",
  "node-label": "use pools[].labels",
  "node-name": "it is the member's name, or the instance's id",
  "node-name-from-cloud-provider-metadata": "it is the member's name, or the instance's id",
  "node-taint": "use pools[].taints, or servers.dedicated",
  "private-registry": "use registries",
  profile: "use hardening.cis",
  "secrets-encryption": "Secrets are always encrypted",
  "secrets-encryption-provider": "use hardening.secretsEncryption",
  server: "use api.address",
  "service-cidr": "use podNetwork.serviceCidr",
  "system-default-registry": "use systemDefaultRegistry",
  "tls-san": "use api.names",
  token: "use token.server",
  "token-file": "use token.server",
  "with-node-id": "nodes have names of their own already",
  "write-kubeconfig": "the program reads the file where it is",
  "write-kubeconfig-group": "only root reads it",
  "write-kubeconfig-mode": "only root reads it",
};

/** What to set instead of a key that the program owns; undefined for a free one. */
export function insteadOf(key: string): string | undefined {
  if (/^etcd-(snapshot|s3|disable-snapshots)/.test(key)) return "use etcdSnapshots";
  return Object.hasOwn(OWNED, key) ? OWNED[key] : undefined;
}

/** Arguments of the API server and of kubelets that the program sets itself, with what stands for them. */
const OWNED_ARGUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "kube-apiserver-arg": {
    "audit-log-maxage": "it follows from hardening.audit",
    "audit-log-maxbackup": "it follows from hardening.audit",
    "audit-log-maxsize": "it follows from hardening.audit",
    "audit-policy-file": "use hardening.audit",
    "authentication-config": "use identity.oidc",
    "encryption-provider-config": "use hardening.secretsEncryption",
    "service-account-extend-token-expiration": "it follows from hardening.cis",
  },
  kubeletArgs: {
    "node-ip": "it is the node's fixed address",
    "node-labels": "use pools[].labels",
    "provider-id": "it is the instance's",
    "register-with-taints": "use pools[].taints",
  },
};

/** What to set instead of an argument such as `max-pods=200`; undefined for a free one. */
export function insteadOfArgument(list: string, argument: string): string | undefined {
  const name = argument.replace(/=.*$/s, "");
  const owned = OWNED_ARGUMENTS[list] ?? {};
  return Object.hasOwn(owned, name) ? owned[name] : undefined;
}
