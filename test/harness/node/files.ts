import { PAUSE_IMAGE } from "../../../sandbox/machines/images";
import type { NodeOptions } from "./options";

/** A file of a machine. */
export interface NodeFile {
  path: string;
  text: string;
  /** @default 0o644 */
  mode?: number;
}

/** What the files need to know of the machine. */
export interface NodeFacts {
  name: string;
  ip: string;
  providerId: string;
}

const KUBERNETES = "/etc/kubernetes";

/** The files that make a machine a node. */
export function nodeFiles(options: NodeOptions, facts: NodeFacts): NodeFile[] {
  return [
    { path: "/etc/containerd/config.toml", text: containerdConfig },
    { path: "/etc/cni/net.d/10-fleetwright.conflist", text: json(cniConfig(options.podCidr)) },
    { path: "/usr/local/sbin/fleetwright-node", text: preparation(options), mode: 0o755 },
    { path: "/etc/systemd/system/fleetwright-node.service", text: preparationUnit },
    { path: `${KUBERNETES}/ca.crt`, text: options.authority },
    { path: `${KUBERNETES}/kubelet.yaml`, text: json(kubeletConfig(options, facts)) },
    { path: `${KUBERNETES}/kubelet.kubeconfig`, text: json(kubeconfig(options, "kubelet")), mode: 0o600 },
    { path: "/etc/systemd/system/kubelet.service", text: kubeletUnit(options, facts) },
    { path: `${KUBERNETES}/kube-proxy.yaml`, text: json(kubeProxyConfig(options, facts)) },
    {
      path: `${KUBERNETES}/kube-proxy.kubeconfig`,
      text: json(kubeconfig(options, "kubeProxy")),
      mode: 0o600,
    },
    { path: "/etc/systemd/system/kube-proxy.service", text: kubeProxyUnit },
  ];
}

// Without CAP_SYS_RESOURCE the kernel refuses a lower OOM score, and no container would start.
const containerdConfig = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
`;

function cniConfig(podCidr: string): unknown {
  return {
    cniVersion: "0.4.0",
    name: "fleetwright",
    plugins: [
      {
        type: "bridge",
        bridge: "cni0",
        isGateway: true,
        hairpinMode: true,
        ipam: { type: "host-local", ranges: [[{ subnet: podCidr }]], routes: [{ dst: "0.0.0.0/0" }] },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
}

/**
 * What the kubelet insists on and would otherwise change for the whole host. In the machine it finds these values, writes
 * nothing, and the host's kernel stays as it was.
 */
const KERNEL_SETTINGS = {
  "vm/overcommit_memory": 1,
  "vm/panic_on_oom": 0,
  "kernel/panic": 10,
  "kernel/panic_on_oops": 1,
  "kernel/keys/root_maxkeys": 1_000_000,
  "kernel/keys/root_maxbytes": 25_000_000,
};

function preparation({ podCidr, clusterCidr }: NodeOptions): string {
  const settings = Object.entries(KERNEL_SETTINGS).map(([name, value]) => `setting ${name} ${value}`);
  return `#!/bin/sh
# Run once a boot, before containers.
set -eu
for group in /sys/fs/cgroup /sys/fs/cgroup/*/; do
  if mountpoint -q "$group" && [ -e "$group/cgroup.procs" ]; then mount -o remount,bind,rw "$group"; fi
done
setting() {
  if [ -e "/proc/sys/$1" ]; then
    mkdir -p "/run/fleetwright-kernel/$(dirname "$1")"
    echo "$2" >"/run/fleetwright-kernel/$1"
    mount --bind "/run/fleetwright-kernel/$1" "/proc/sys/$1"
  fi
}
${settings.join("\n")}
mount --make-rshared /var/lib/kubelet
# The kubelet looks for killed processes in the kernel's log, which is the whole host's: it finds an empty one.
[ -e /dev/kmsg ] || ln -s null /dev/kmsg
echo 1 >/proc/sys/net/ipv4/ip_forward
nft -f - <<'END'
table ip fleetwright-pods
delete table ip fleetwright-pods
table ip fleetwright-pods {
  chain leaving {
    type nat hook postrouting priority srcnat;
    ip saddr ${podCidr} ip daddr != ${clusterCidr} masquerade
  }
}
END
`;
}

const preparationUnit = `[Unit]
Description=What containers need of this machine
Before=containerd.service kubelet.service
ConditionPathIsReadWrite=/var/lib/kubelet

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/fleetwright-node

[Install]
WantedBy=multi-user.target
`;

function kubeletConfig(options: NodeOptions, { providerId }: NodeFacts): unknown {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${KUBERNETES}/ca.crt` },
    },
    authorization: { mode: "Webhook" },
    cgroupDriver: "cgroupfs",
    failCgroupV1: false,
    failSwapOn: false,
    containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
    clusterDomain: options.clusterDomain ?? "cluster.local",
    clusterDNS: options.clusterDns ?? [],
    providerID: providerId,
    // The machines share one disk and one memory; evictions would say nothing about a machine.
    evictionHard: { "memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    nodeStatusUpdateFrequency: "5s",
    // The files of static pods, as a control plane node has them.
    staticPodPath: `${KUBERNETES}/manifests`,
  };
}

function kubeletUnit(options: NodeOptions, { name, ip }: NodeFacts): string {
  const labels = Object.entries(options.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const flags = [
    `--config=${KUBERNETES}/kubelet.yaml`,
    `--kubeconfig=${KUBERNETES}/kubelet.kubeconfig`,
    `--hostname-override=${name}`,
    `--node-ip=${ip}`,
    ...(labels.length === 0 ? [] : [`--node-labels=${labels.join(",")}`]),
  ];
  return `[Unit]
Description=kubelet
After=containerd.service fleetwright-node.service
Requires=containerd.service fleetwright-node.service
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/local/bin/kubelet ${flags.join(" ")}
Restart=always
RestartSec=1
KillMode=process

[Install]
WantedBy=multi-user.target
`;
}

function kubeProxyConfig(options: NodeOptions, { name }: NodeFacts): unknown {
  return {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "nftables",
    clientConnection: { kubeconfig: `${KUBERNETES}/kube-proxy.kubeconfig` },
    clusterCIDR: options.clusterCidr,
    hostnameOverride: name,
    // The table of connections is the host's; its size is not for a machine to change.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    nftables: { minSyncPeriod: "0s", syncPeriod: "30s" },
  };
}

const kubeProxyUnit = `[Unit]
Description=kube-proxy
After=network.target
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/local/bin/kube-proxy --config=${KUBERNETES}/kube-proxy.yaml
Restart=always
RestartSec=1

[Install]
WantedBy=multi-user.target
`;

function kubeconfig(options: NodeOptions, identity: "kubelet" | "kubeProxy"): unknown {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const { certificate, key } = options[identity];
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "cluster",
        cluster: {
          server: options.apiServer,
          ...(options.tlsServerName === undefined ? {} : { "tls-server-name": options.tlsServerName }),
          "certificate-authority-data": base64(options.authority),
        },
      },
    ],
    users: [
      {
        name: identity,
        user: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) },
      },
    ],
    contexts: [{ name: "cluster", context: { cluster: "cluster", user: identity } }],
    "current-context": "cluster",
  };
}

// JSON is YAML.
function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
