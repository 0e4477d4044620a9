/** Commands of yours on every node, as root, by bash. A node that fails at one does not start; they may run again at any time. */
export interface NodeCommandsArgs {
  /** Before each start of RKE2. @default [] @example ["sysctl --write vm.max_map_count=262144"] */
  before?: string[];
  /** After each start of RKE2. @default [] */
  after?: string[];
}

/** How nodes reach the internet where nothing but a proxy does: RKE2, containerd, and the download of RKE2 itself. */
export interface OutboundProxyArgs {
  /** @default that of `https` @example "http://proxy.example.com:3128" */
  http?: string;
  /** @default that of `http` */
  https?: string;
  /** What is reached without it, besides the network, pods, services and AWS's own addresses. @default [] @example ["registry.example.com"] */
  noProxy?: string[];
}

/** What RKE2 can be set to beyond the settings that the program has a word for. */
export interface FreeArgs {
  /** More keys of RKE2's config.yaml, for every node that knows them. @default {} @example { "etcd-arg": ["quota-backend-bytes=4294967296"] } */
  config?: Record<string, unknown>;
  /** Arguments of every kubelet. @default [] @example ["max-pods=200"] */
  kubeletArgs?: string[];
  commands?: NodeCommandsArgs;
  outboundProxy?: OutboundProxyArgs;
  /** From where RKE2's own images come, for nodes that reach no other registry. @default "docker.io" @example "registry.example.com" */
  systemDefaultRegistry?: string;
}
