// What the agent's pod requires of its node: mounts, capabilities, namespaces. Shared by the agent and by the component
// that declares its DaemonSet, hence without imports.

/** Where the host's folders are mounted, each at its own path below. */
export const HOST_MOUNT = "/host";

/** The port for probes and metrics: a port of the host, since the pod uses the host's network. */
export const METRICS_PORT = 9808;

/**
 * The audience of tokens for metrics alone. They come over plain HTTP; whoever overhears one can read metrics with it until
 * it expires, and nothing else. The bundled Prometheus has such a token.
 */
export const METRICS_AUDIENCE = "fleetwright.dev/metrics";

/** A folder of the host that the pod needs, at the same path below {@link HOST_MOUNT}. */
export interface HostPath {
  path: string;
  readOnly: boolean;
  /** As in a `hostPath` volume. */
  type: "Directory" | "DirectoryOrCreate";
  why: string;
}

/** All folders of the host that the agent uses. */
export const HOST_PATHS: readonly HostPath[] = [
  { path: "/etc", readOnly: false, type: "Directory", why: "passwd, shadow, group, gshadow and sudoers.d" },
  { path: "/home", readOnly: false, type: "Directory", why: "homes with their keys" },
  {
    path: "/var/lib/fleetwright",
    readOnly: false,
    type: "DirectoryOrCreate",
    why: "which accounts are ours, and upgrades with their output",
  },
  { path: "/run/dbus", readOnly: true, type: "Directory", why: "asks systemd to run an upgrade" },
  {
    path: "/var/lib/rancher",
    readOnly: true,
    type: "DirectoryOrCreate",
    why: "the state volume and certificates; mounts of the host must show (HostToContainer)",
  },
  { path: "/var/lib/kubelet/pki", readOnly: true, type: "DirectoryOrCreate", why: "certificates" },
];

/** The capabilities of root in the pod: to own, read and write files of others and to kill their processes. All others are dropped. */
export const CAPABILITIES: readonly string[] = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL"];

/** Namespaces of the host that the pod shares. */
export const HOST_NAMESPACES = {
  /** Processes of a deleted User are seen and ended, locks of shadow's tools name processes, `/proc/1` has the mounts. */
  hostPID: true,
  /** The instance metadata service answers over one hop only. */
  hostNetwork: true,
} as const;

/** The security context of the container. */
export const SECURITY_CONTEXT = {
  runAsUser: 0,
  runAsGroup: 0,
  privileged: false,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"], add: [...CAPABILITIES] },
  seccompProfile: { type: "RuntimeDefault" },
  /** The runtime's default profile forbids signals to the host's processes and calls over its bus. */
  appArmorProfile: { type: "Unconfined" },
  /** Where SELinux is enforced, an ordinary container may not write the host's files. */
  seLinuxOptions: { type: "spc_t" },
} as const;

/** Flags of Node that keep the process small; they come before the program. */
export const NODE_OPTIONS: readonly string[] = ["--max-semi-space-size=1", "--max-old-space-size=192"];
