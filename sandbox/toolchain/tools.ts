/**
 * Every tool that the project runs, at the version that it is tested with: where an installed one is recognised, where
 * the official one is downloaded, and how it is built from its Go module. Nothing else names versions.
 */

/** Platforms that downloads are published for. */
export type Platform = "linux-x64" | "linux-arm64";

/** An official download; it is used only if the bytes match the digest that stands here. */
export interface Download {
  url: string;
  /** SHA-256 where the publisher gives one for this file, otherwise the SHA-512 of the release notes, in hex. */
  digest: { algorithm: "sha256" | "sha512"; hex: string };
  /** Path inside the tar archive; absent when the file itself is the program. */
  member?: string;
}

/** How an installation that is already on the machine is recognised. */
export type Recognition =
  /** Run from PATH with `args`; the first group of `pattern` is its version. */
  | { by: "version"; args: readonly string[]; pattern: RegExp }
  /** It has no version of its own to ask for, but comes in one archive with another tool and lies beside it. */
  | { by: "beside"; tool: string }
  /** A program of ours, which is always that of this checkout. */
  | { by: "nothing" }
  /** A Pulumi plugin, found in the plugin cache under its version. */
  | { by: "plugin"; kind: "resource"; plugin: string };

/** A build from a Go module. */
export interface GoBuild {
  /** Holds go.mod and go.sum: a folder below `go/`, or, where it is `ours`, one of the project's. */
  folder: string;
  /** Whether the program is part of the product, in a folder of its own at the root of the project. @default false */
  ours?: boolean;
  package: string;
  /** Linker variables that are set to a value. */
  variables?: Readonly<Record<string, string>>;
  /** JSON files of a module that the main package embeds, compacted, with properties set in them. */
  embed?: readonly { module: string; file: string; as: string; set?: Readonly<Record<string, string>> }[];
}

/** One row of the table. */
export interface Tool {
  version: string;
  /** What it is for, in a few words. */
  purpose: string;
  /** Versions of an installed one that will do, as a semver range. */
  suits: string;
  recognise: Recognition;
  download: Partial<Record<Platform, Download>>;
  build: GoBuild;
  /** Processor minutes that its build takes, after those with which it shares packages; for estimates. @default 1 */
  buildMinutes?: number;
}

const ETCD = "3.6.5";
const KUBERNETES = "1.35.4";
/** The minor version before it, for upgrades; the newest one of which the checksum database has every module. */
const KUBERNETES_BEFORE = "1.34.4";
const PULUMI = "3.258.0";
/** The SDK in package.json; an engine must not be older than the SDK of the program. */
const PULUMI_SDK = "3.248.0";
const PULUMI_KUBERNETES = "4.25.0";
const KWOK = "0.8.0";
const RKE = "1.8.6";
const COREDNS = "1.14.1";

const sha256 = (hex: string): Download["digest"] => ({ algorithm: "sha256", hex });
const sha512 = (hex: string): Download["digest"] => ({ algorithm: "sha512", hex });

function etcd(program: "etcd" | "etcdctl" | "etcdutl", goPackage: string, purpose: string): Tool {
  const archive = (arch: string, hex: string): Download => ({
    url: `https://github.com/etcd-io/etcd/releases/download/v${ETCD}/etcd-v${ETCD}-linux-${arch}.tar.gz`,
    digest: sha256(hex),
    member: `etcd-v${ETCD}-linux-${arch}/${program}`,
  });
  return {
    version: ETCD,
    purpose,
    suits: "~3.6.0",
    recognise: {
      by: "version",
      args: program === "etcd" ? ["--version"] : ["version"],
      pattern: /^etcd\w* version: (\S+)/im,
    },
    download: {
      "linux-x64": archive("amd64", "66bad39ed920f6fc15fd74adcb8bfd38ba9a6412f8c7852d09eb11670e88cac3"),
      "linux-arm64": archive("arm64", "7010161787077b07de29b15b76825ceacbbcedcb77fe2e6832f509be102cab6b"),
    },
    build: { folder: "etcd", package: goPackage },
  };
}

/** Kubernetes publishes SHA-512 sums of its server archive with the release notes, and no SHA-256 there. */
const SERVER_ARCHIVE: Record<Platform, { arch: string; hex: string }> = {
  "linux-x64": {
    arch: "amd64",
    hex: "7454c2d9023de3230972e965e1e2a587a291e2a1abee703bb0737057e1646b23ebac538b93dd778e93579e3c293dc1fa8d002e6848ad5ebc01598bc47358fe44",
  },
  "linux-arm64": {
    arch: "arm64",
    hex: "67187a2fe780be7816f9d10e082ed02cbba306bab379980280d00ba4c4017ff53c50cd2ff81d248c91ddcc064276b8760e17c73a1a7da1d35067a6fc0ffbdc88",
  },
};

function kubernetes(
  program: string,
  purpose: string,
  /** SHA-256 of the single program, where it is known; otherwise it is taken out of the server archive. */
  single?: Record<Platform, string>,
): Tool {
  const download = (platform: Platform): Download => {
    const { arch, hex } = SERVER_ARCHIVE[platform];
    return single === undefined
      ? {
          url: `https://dl.k8s.io/v${KUBERNETES}/kubernetes-server-linux-${arch}.tar.gz`,
          digest: sha512(hex),
          member: `kubernetes/server/bin/${program}`,
        }
      : {
          url: `https://dl.k8s.io/release/v${KUBERNETES}/bin/linux/${arch}/${program}`,
          digest: sha256(single[platform]),
        };
  };
  const version = "k8s.io/component-base/version";
  return {
    version: KUBERNETES,
    purpose,
    suits: "~1.35.0",
    recognise: {
      by: "version",
      args: program === "kubectl" ? ["version", "--client"] : ["--version"],
      pattern: /^(?:Kubernetes|Client Version:) v(\S+)/m,
    },
    download: { "linux-x64": download("linux-x64"), "linux-arm64": download("linux-arm64") },
    build: {
      folder: "kubernetes",
      package: `k8s.io/kubernetes/cmd/${program}`,
      variables: {
        [`${version}.gitVersion`]: `v${KUBERNETES}`,
        [`${version}.gitMajor`]: "1",
        [`${version}.gitMinor`]: "35",
        [`${version}.gitTreeState`]: "clean",
      },
    },
  };
}

/** A program of the minor version before; only built, since its sums were never checked here. */
function kubernetesBefore(program: string, purpose: string): Tool {
  const { recognise, build } = kubernetes(program, purpose);
  const version = "k8s.io/component-base/version";
  return {
    version: KUBERNETES_BEFORE,
    purpose: `${purpose}, one minor version before`,
    suits: "~1.34.0",
    recognise,
    download: {},
    build: {
      ...build,
      folder: "kubernetes-1.34",
      variables: {
        ...build.variables,
        [`${version}.gitVersion`]: `v${KUBERNETES_BEFORE}`,
        [`${version}.gitMinor`]: "34",
      },
    },
  };
}

function pulumiArchive(program: string): Tool["download"] {
  const archive = (arch: string, hex: string): Download => ({
    url: `https://github.com/pulumi/pulumi/releases/download/v${PULUMI}/pulumi-v${PULUMI}-linux-${arch}.tar.gz`,
    digest: sha256(hex),
    member: `pulumi/${program}`,
  });
  return {
    "linux-x64": archive("x64", "b6cf2de0243fece40f386bc7ae6a5194c39e15891c79f66cc6c8905bea8c6479"),
    "linux-arm64": archive("arm64", "c5928718c70ab328b22843ee41908942148743ff3021b29852efdcdd6ce369f1"),
  };
}

function providerArchive(arch: string, hex: string): Download {
  return {
    url: `https://api.pulumi.com/releases/plugins/pulumi-resource-kubernetes-v${PULUMI_KUBERNETES}-linux-${arch}.tar.gz`,
    digest: sha256(hex),
    member: "pulumi-resource-kubernetes",
  };
}

/** The tools, in the order in which they are made: what the control plane needs first. */
export const TOOLS = {
  etcd: { ...etcd("etcd", "go.etcd.io/etcd/server/v3", "the control plane's database"), buildMinutes: 1 },
  "kube-apiserver": { ...kubernetes("kube-apiserver", "the Kubernetes API"), buildMinutes: 4.2 },
  "kube-controller-manager": {
    ...kubernetes("kube-controller-manager", "the built-in controllers"),
    buildMinutes: 1.2,
  },
  "kube-scheduler": { ...kubernetes("kube-scheduler", "assigns pods to nodes"), buildMinutes: 0.2 },
  kubectl: {
    ...kubernetes("kubectl", "the Kubernetes command line", {
      "linux-x64": "b529430df69a688fd61b64ad2299edb5fd71cb58be2a4779dba624c7d3510efd",
      "linux-arm64": "6a5a4cc4e396d7626a7a693a3044b51c75520f81db30fe6816c2554e53be336f",
    }),
    buildMinutes: 0.6,
  },
  "hub-apiserver": {
    buildMinutes: 0.2,
    version: KUBERNETES,
    purpose: "the hub's API: workloads, no pods",
    suits: KUBERNETES,
    recognise: { by: "nothing" },
    download: {},
    build: { ...kubernetes("hub-apiserver", "").build, folder: "hub-apiserver", ours: true, package: "." },
  },
  kwok: {
    buildMinutes: 2.5,
    version: KWOK,
    purpose: "simulates nodes",
    suits: "~0.8.0",
    recognise: { by: "version", args: ["--version"], pattern: /version v?(\d\S*)/ },
    // Its project publishes no sums that we could have checked, so it is never downloaded.
    download: {},
    build: { folder: "kwok", package: "sigs.k8s.io/kwok/cmd/kwok" },
  },
  pulumi: {
    buildMinutes: 4.5,
    version: PULUMI,
    purpose: "the Pulumi engine and command line",
    suits: `>=${PULUMI_SDK} <4`,
    recognise: { by: "version", args: ["version"], pattern: /^v?(\d\S*)/m },
    download: pulumiArchive("pulumi"),
    build: {
      folder: "pulumi",
      package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
      variables: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": `v${PULUMI}` },
    },
  },
  "pulumi-language-nodejs": {
    buildMinutes: 0.1,
    version: PULUMI,
    purpose: "runs Pulumi programs and policy packs in Node",
    suits: `>=${PULUMI_SDK} <4`,
    recognise: { by: "beside", tool: "pulumi" },
    download: pulumiArchive("pulumi-language-nodejs"),
    build: { folder: "language-nodejs", package: ".", variables: { "main.version": PULUMI } },
  },
  "pulumi-resource-kubernetes": {
    buildMinutes: 8.2,
    version: PULUMI_KUBERNETES,
    purpose: "Pulumi's Kubernetes provider",
    suits: PULUMI_KUBERNETES,
    recognise: { by: "plugin", kind: "resource", plugin: "kubernetes" },
    download: {
      "linux-x64": providerArchive(
        "amd64",
        "6ea3d53c16a00c4d1017c4d109928d8f4801fd7cd978965cd43917561f3774b0",
      ),
      "linux-arm64": providerArchive(
        "arm64",
        "e4260240ed14bff6ed1a5a25a362311380ea1c072544fc262532b8197ea0725c",
      ),
    },
    build: {
      folder: "pulumi-kubernetes",
      package: ".",
      variables: { "main.version": PULUMI_KUBERNETES },
      embed: [
        {
          module: "github.com/pulumi/pulumi-kubernetes/provider/v4",
          file: "cmd/pulumi-resource-kubernetes/schema.json",
          as: "schema-embed.json",
          set: { version: PULUMI_KUBERNETES },
        },
        {
          module: "github.com/pulumi/pulumi-kubernetes/provider/v4",
          file: "cmd/pulumi-resource-kubernetes/terraform-mapping.json",
          as: "terraform-mapping-embed.json",
        },
      ],
    },
  },
  etcdctl: {
    ...etcd("etcdctl", "go.etcd.io/etcd/etcdctl/v3", "client of etcd"),
    buildMinutes: 0.1,
  },
  etcdutl: { ...etcd("etcdutl", "go.etcd.io/etcd/etcdutl/v3", "restores etcd snapshots"), buildMinutes: 0.1 },
  kubelet: {
    ...kubernetes("kubelet", "runs pods on a node", {
      "linux-x64": "983a6ba5a49823dcdd745c674e5e2416377dd27d6ad1b42d2befa0fb961a19f6",
      "linux-arm64": "d710eef03bb4ad164bb77af9be5b11b44f874e2fc08153c7d383420d685f73e8",
    }),
    buildMinutes: 0.7,
  },
  "kube-proxy": { ...kubernetes("kube-proxy", "routes services on a node"), buildMinutes: 0.2 },
  coredns: {
    buildMinutes: 0.4,
    version: COREDNS,
    purpose: "DNS in clusters on the sandbox's machines",
    suits: `~${COREDNS}`,
    recognise: { by: "version", args: ["-version"], pattern: /CoreDNS-(\S+)/ },
    // Its project publishes sums beside the files only, which prove nothing about where they come from.
    download: {},
    build: { folder: "coredns", package: "." },
  },
  "kube-apiserver-1.34": kubernetesBefore("kube-apiserver", "the Kubernetes API"),
  "kube-controller-manager-1.34": kubernetesBefore("kube-controller-manager", "the built-in controllers"),
  "kube-scheduler-1.34": kubernetesBefore("kube-scheduler", "assigns pods to nodes"),
  "kubelet-1.34": kubernetesBefore("kubelet", "runs pods on a node"),
  "kube-proxy-1.34": kubernetesBefore("kube-proxy", "routes services on a node"),
  rke: {
    version: RKE,
    purpose: "Rancher Kubernetes Engine 1",
    suits: "~1.8.0",
    recognise: { by: "version", args: ["--version"], pattern: /rke version v?(\d\S*)/ },
    // Its project publishes no sums that we could have checked, so it is never downloaded.
    download: {},
    build: { folder: "rke", package: "github.com/rancher/rke", variables: { "main.VERSION": `v${RKE}` } },
  },
} as const satisfies Record<string, Tool>;

/** The name of a tool in the table. */
export type ToolName = keyof typeof TOOLS;

/** All names, in the order of the table. */
export const TOOL_NAMES = Object.keys(TOOLS) as readonly ToolName[];

/** Whether a word is the name of a tool. */
export function isToolName(word: string): word is ToolName {
  return Object.hasOwn(TOOLS, word);
}

const CONTROL_PLANE = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kwok",
] as const satisfies readonly ToolName[];

/** What the stand-in for RKE2 runs in machines. */
const RKE2 = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubectl",
  "etcdctl",
  "etcdutl",
  "kubelet",
  "kube-proxy",
  "coredns",
] as const satisfies readonly ToolName[];

/** What an upgrade begins with. */
const KUBERNETES_BEFORE_SET = [
  "kube-apiserver-1.34",
  "kube-controller-manager-1.34",
  "kube-scheduler-1.34",
  "kubelet-1.34",
  "kube-proxy-1.34",
] as const satisfies readonly ToolName[];

/** What runs a stack. */
const ENGINE = [
  "kubectl",
  "pulumi",
  "pulumi-language-nodejs",
  "pulumi-resource-kubernetes",
] as const satisfies readonly ToolName[];

/** What the hub's API server needs, a person to look at it, and its backup. */
const HUB = ["etcd", "hub-apiserver", "kubectl", "etcdctl", "etcdutl"] as const satisfies readonly ToolName[];

/** What each command needs, so that a first run makes no more than that. */
export const TOOL_SETS = {
  controlplane: CONTROL_PLANE,
  hub: HUB,
  rke2: RKE2,
  drills: [...RKE2, ...KUBERNETES_BEFORE_SET],
  /** The stack `dev`: a cluster on the sandbox's own machines. */
  machines: withoutRepeats(RKE2, ENGINE),
  /** The stack `existing`: a control plane of the sandbox's own, with simulated nodes. */
  existing: withoutRepeats(CONTROL_PLANE, ENGINE),
  start: withoutRepeats(CONTROL_PLANE, ENGINE),
  test: withoutRepeats(CONTROL_PLANE, HUB, RKE2, ENGINE, ["rke"]),
  all: TOOL_NAMES,
} as const satisfies Record<string, readonly ToolName[]>;

function withoutRepeats<Name extends ToolName>(...sets: readonly (readonly Name[])[]): readonly Name[] {
  return [...new Set(sets.flat())];
}

/** The name of a set of tools. */
export type ToolSet = keyof typeof TOOL_SETS;
