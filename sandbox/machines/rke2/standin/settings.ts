import { Failure } from "../../../../lib/failure";
import type { Config, ConfigValue, Role } from "./config";
import { parseCni, PACKAGED, PROFILES } from "./allowed-values";
import { CONFIG_KEYS } from "./config-keys";
import { optional } from "./optional";
import { s3SettingsOf, type S3Settings } from "./s3-settings";

/** What the machine itself says, where the configuration does not. */
export interface MachineFacts {
  hostname: string;
  /** The address of the interface that the default route leaves by. */
  address: string;
}

/** The configuration with RKE2's defaults filled in. */
export interface Settings {
  role: Role;
  dataDir: string;
  debug: boolean;
  nodeName: string;
  nodeIp: string;
  nodeExternalIp?: string;
  server?: string;
  token?: string;
  tokenFile?: string;
  agentToken?: string;
  agentTokenFile?: string;
  bindAddress: string;
  advertiseAddress: string;
  tlsSans: readonly string[];
  clusterCidr: string;
  serviceCidr: string;
  clusterDns: string;
  clusterDomain: string;
  nodePortRange: string;
  cni: string;
  labels: readonly string[];
  taints: readonly string[];
  resolvConf?: string;
  kubeconfig: string;
  kubeconfigMode: number;
  kubeconfigGroup?: string;
  profile: "none" | "cis" | "etcd";
  protectKernelDefaults: boolean;
  auditPolicyFile?: string;
  podSecurityFile?: string;
  encryptionProvider: "aescbc" | "secretbox";
  disable: readonly string[];
  disableScheduler: boolean;
  disableCloudController: boolean;
  disableKubeProxy: boolean;
  cloudProvider?: string;
  registriesFile: string;
  extraArguments: Readonly<Record<Component, readonly string[]>>;
  exposeEtcdMetrics: boolean;
  snapshots: { disabled: boolean; name: string; schedule: string; retention: number; dir: string };
  s3?: S3Settings;
  clusterReset: boolean;
  restorePath?: string;
}

/** The components whose arguments can be added to. */
export const COMPONENTS = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubelet",
  "kube-proxy",
] as const;
/** One of them. */
export type Component = (typeof COMPONENTS)[number];

/** The keys that must be equal on all servers. */
export const CRITICAL_KEYS = [
  "agent-token",
  "cluster-cidr",
  "cluster-dns",
  "cluster-domain",
  "disable-cloud-controller",
  "disable-kube-proxy",
  "egress-selector-mode",
  "service-cidr",
] as const;

/** Fills in RKE2's defaults and checks the values; all problems are reported at once. */
export function settingsOf(role: Role, config: Config, facts: MachineFacts): Settings {
  const problems: string[] = [];
  const text = (key: string): string | undefined => textOf(config[key]);
  const list = (key: string): readonly string[] => listOf(config[key]);
  const flag = (key: string): boolean => config[key] === true;
  const number = (key: string, fallback: number): number =>
    typeof config[key] === "number" ? config[key] : fallback;
  const oneOf = <T extends string>(
    key: string,
    value: T | undefined,
    allowed: readonly string[],
  ): T | undefined => {
    if (value !== undefined && !allowed.includes(value))
      problems.push(`invalid value provided for --${key} flag: ${value}. Use one of ${allowed.join(", ")}.`);
    return value;
  };

  const dataDir = text("data-dir") ?? "/var/lib/rancher/rke2";
  const nodeIp = list("node-ip")[0]?.split(",")[0] ?? facts.address;
  const serviceCidr = text("service-cidr") ?? "10.43.0.0/16";
  const server = text("server");
  if (server !== undefined && !server.startsWith("https://"))
    problems.push(`only https:// URLs are supported, invalid scheme: ${server}`);
  if (role === "agent" && server === undefined) problems.push("--server is required");
  if (role === "agent" && text("token") === undefined && text("token-file") === undefined)
    problems.push("--token is required");
  if (
    role === "server" &&
    server !== undefined &&
    text("token") === undefined &&
    text("token-file") === undefined
  )
    problems.push("--token is required to join a cluster");
  if (config["cluster-reset-restore-path"] !== undefined && config["cluster-reset"] !== true)
    problems.push("invalid flag use; --cluster-reset required with --cluster-reset-restore-path");
  if (config["cluster-reset"] === true && server !== undefined)
    problems.push(
      "cannot perform cluster-reset while server URL is set - remove server from configuration before resetting",
    );
  const [cni] = parseCni(list("cni"), problems);
  for (const item of list("disable").flatMap((entry) => entry.split(",")))
    if (!PACKAGED.includes(item))
      problems.push(`invalid value provided for --disable flag: ${item}. Known are ${PACKAGED.join(", ")}.`);
  const mode = text("write-kubeconfig-mode") ?? "0600";
  if (!/^0?[0-7]{3}$/.test(mode))
    problems.push(`write-kubeconfig-mode must be an octal mode such as "0640"; found ${mode}.`);
  const provider = oneOf("secrets-encryption-provider", text("secrets-encryption-provider"), [
    "aescbc",
    "secretbox",
  ]);
  const profile = oneOf("profile", text("profile"), PROFILES);
  for (const component of COMPONENTS)
    for (const argument of list(`${component}-arg`))
      if (!/^[a-z][a-z0-9-]*(=.*)?$/s.test(argument))
        problems.push(`${component}-arg must be name=value without dashes in front; found ${argument}.`);
  if (problems.length > 0) throw new Failure(problems.join("\n"));

  return {
    role,
    dataDir,
    debug: flag("debug"),
    nodeName: (text("node-name") ?? facts.hostname).toLowerCase(),
    nodeIp,
    ...optional("nodeExternalIp", list("node-external-ip")[0]),
    ...optional("server", server?.replace(/\/+$/, "")),
    ...optional("token", text("token")),
    ...optional("tokenFile", text("token-file")),
    ...optional("agentToken", text("agent-token")),
    ...optional("agentTokenFile", text("agent-token-file")),
    bindAddress: text("bind-address") ?? "0.0.0.0",
    advertiseAddress: text("advertise-address") ?? list("node-external-ip")[0] ?? nodeIp,
    tlsSans: list("tls-san").flatMap((entry) => entry.split(",")),
    clusterCidr: text("cluster-cidr") ?? "10.42.0.0/16",
    serviceCidr,
    clusterDns: text("cluster-dns") ?? addressIn(serviceCidr, 10),
    clusterDomain: text("cluster-domain") ?? "cluster.local",
    nodePortRange: text("service-node-port-range") ?? "30000-32767",
    cni: cni ?? "canal",
    labels: list("node-label"),
    taints: list("node-taint"),
    ...optional("resolvConf", text("resolv-conf")),
    kubeconfig: text("write-kubeconfig") ?? "/etc/rancher/rke2/rke2.yaml",
    kubeconfigMode: Number.parseInt(mode, 8),
    ...optional("kubeconfigGroup", text("write-kubeconfig-group")),
    profile: profile === "cis" || profile === "etcd" ? profile : "none",
    protectKernelDefaults: flag("protect-kernel-defaults") || profile === "cis",
    ...optional("auditPolicyFile", text("audit-policy-file")),
    ...optional("podSecurityFile", text("pod-security-admission-config-file")),
    encryptionProvider: provider === "secretbox" ? "secretbox" : "aescbc",
    disable: list("disable").flatMap((entry) => entry.split(",")),
    disableScheduler: flag("disable-scheduler"),
    disableCloudController: flag("disable-cloud-controller"),
    disableKubeProxy: flag("disable-kube-proxy"),
    // RKE2's own one is what there is without a name.
    ...optional(
      "cloudProvider",
      text("cloud-provider-name") === "rke2" ? undefined : text("cloud-provider-name"),
    ),
    registriesFile: text("private-registry") ?? "/etc/rancher/rke2/registries.yaml",
    extraArguments: {
      etcd: list("etcd-arg"),
      "kube-apiserver": list("kube-apiserver-arg"),
      "kube-controller-manager": list("kube-controller-manager-arg"),
      "kube-scheduler": list("kube-scheduler-arg"),
      kubelet: list("kubelet-arg"),
      "kube-proxy": list("kube-proxy-arg"),
    },
    exposeEtcdMetrics: flag("etcd-expose-metrics"),
    snapshots: {
      disabled: flag("etcd-disable-snapshots"),
      name: text("etcd-snapshot-name") ?? "etcd-snapshot",
      schedule: text("etcd-snapshot-schedule-cron") ?? "0 */12 * * *",
      retention: number("etcd-snapshot-retention", 5),
      dir: text("etcd-snapshot-dir") ?? `${dataDir}/server/db/snapshots`,
    },
    ...optional("s3", flag("etcd-s3") ? s3SettingsOf(text, flag, number) : undefined),
    clusterReset: flag("cluster-reset"),
    ...optional("restorePath", text("cluster-reset-restore-path")),
  };
}

/** The keys that were given and have no effect here, each with the reason. */
export function ignoredKeys(config: Config): string[] {
  return Object.keys(config).flatMap((key) => {
    const reason = CONFIG_KEYS[key]?.ignored;
    return reason === undefined ? [] : [`${key} is accepted and has no effect in the sandbox: ${reason}`];
  });
}

/** The address at a distance from the first one of a range. */
export function addressIn(cidr: string, offset: number): string {
  const [base = ""] = cidr.split("/");
  const value = base.split(".").reduce((sum, part) => sum * 256 + Number(part), 0) + offset;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
}

function textOf(value: ConfigValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function listOf(value: ConfigValue | undefined): readonly string[] {
  return typeof value === "object" ? value : [];
}
