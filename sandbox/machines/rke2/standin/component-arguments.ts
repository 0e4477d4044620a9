import path from "node:path";
import type { FlagValue } from "../../../controlplane/flags";
import { renderFlags } from "../../../controlplane/flags";
import type { Layout } from "./layout";
import { API_PORT } from "./layout";
import type { Component, Settings } from "./settings";

/** Puts the arguments of a user over the ones that are set here; the last one of a name counts. */
export function withExtra(flags: Readonly<Record<string, FlagValue>>, extra: readonly string[]): string[] {
  const given = Object.fromEntries(
    extra.map((argument) => {
      const at = argument.indexOf("=");
      return at === -1 ? [argument, "true"] : [argument.slice(0, at), argument.slice(at + 1)];
    }),
  );
  return renderFlags({ ...flags, ...given });
}

/** Files that the API server reads beside its certificates. */
export interface ApiServerFiles {
  auditPolicy?: string;
  admission?: string;
}

/** The command line of the API server. */
export function apiServerArguments(settings: Settings, layout: Layout, files: ApiServerFiles): string[] {
  const tls = (name: string): string => path.join(layout.tls, name);
  const audit: Record<string, FlagValue> = {
    "audit-policy-file": files.auditPolicy,
    "audit-log-path": layout.auditLog,
    "audit-log-maxage": 30,
    "audit-log-maxbackup": 10,
    "audit-log-maxsize": 100,
  };
  return withExtra(
    {
      "advertise-address": settings.advertiseAddress,
      "bind-address": settings.bindAddress,
      "secure-port": API_PORT,
      "allow-privileged": true,
      "anonymous-auth": false,
      "api-audiences": [`https://kubernetes.default.svc.${settings.clusterDomain}`, "rke2"],
      "authorization-mode": ["Node", "RBAC"],
      "client-ca-file": tls("client-ca.crt"),
      "enable-admission-plugins": "NodeRestriction",
      "enable-bootstrap-token-auth": true,
      "encryption-provider-config": path.join(layout.cred, "encryption-config.json"),
      "etcd-cafile": tls("etcd/server-ca.crt"),
      "etcd-certfile": tls("etcd/client.crt"),
      "etcd-keyfile": tls("etcd/client.key"),
      "etcd-servers": "https://127.0.0.1:2379",
      "kubelet-certificate-authority": tls("server-ca.crt"),
      "kubelet-client-certificate": tls("client-kube-apiserver.crt"),
      "kubelet-client-key": tls("client-kube-apiserver.key"),
      "kubelet-preferred-address-types": ["InternalIP", "ExternalIP", "Hostname"],
      profiling: false,
      "proxy-client-cert-file": tls("client-auth-proxy.crt"),
      "proxy-client-key-file": tls("client-auth-proxy.key"),
      "requestheader-allowed-names": "system:auth-proxy",
      "requestheader-client-ca-file": tls("request-header-ca.crt"),
      "requestheader-extra-headers-prefix": "X-Remote-Extra-",
      "requestheader-group-headers": "X-Remote-Group",
      "requestheader-username-headers": "X-Remote-User",
      "service-account-issuer": `https://kubernetes.default.svc.${settings.clusterDomain}`,
      "service-account-key-file": tls("service.key"),
      "service-account-signing-key-file": tls("service.key"),
      "service-cluster-ip-range": settings.serviceCidr,
      "service-node-port-range": settings.nodePortRange,
      "tls-cert-file": tls("serving-kube-apiserver.crt"),
      "tls-private-key-file": tls("serving-kube-apiserver.key"),
      ...(files.auditPolicy === undefined ? {} : audit),
      "admission-control-config-file": files.admission,
    },
    settings.extraArguments["kube-apiserver"],
  );
}

/** The command line of the controller manager. */
export function controllerManagerArguments(settings: Settings, layout: Layout): string[] {
  const tls = (name: string): string => path.join(layout.tls, name);
  return withExtra(
    {
      ...leaderFlags(layout, "controller", "kube-controller-manager"),
      "allocate-node-cidrs": true,
      "cluster-cidr": settings.clusterCidr,
      "cluster-signing-kube-apiserver-client-cert-file": tls("client-ca.crt"),
      "cluster-signing-kube-apiserver-client-key-file": tls("client-ca.key"),
      "cluster-signing-kubelet-client-cert-file": tls("client-ca.crt"),
      "cluster-signing-kubelet-client-key-file": tls("client-ca.key"),
      "cluster-signing-kubelet-serving-cert-file": tls("server-ca.crt"),
      "cluster-signing-kubelet-serving-key-file": tls("server-ca.key"),
      "cluster-signing-legacy-unknown-cert-file": tls("server-ca.crt"),
      "cluster-signing-legacy-unknown-key-file": tls("server-ca.key"),
      "root-ca-file": tls("server-ca.crt"),
      "service-account-private-key-file": tls("service.key"),
      "service-cluster-ip-range": settings.serviceCidr,
      "use-service-account-credentials": true,
    },
    settings.extraArguments["kube-controller-manager"],
  );
}

/** The command line of the scheduler. */
export function schedulerArguments(settings: Settings, layout: Layout): string[] {
  return withExtra(
    leaderFlags(layout, "scheduler", "kube-scheduler"),
    settings.extraArguments["kube-scheduler"],
  );
}

function leaderFlags(
  layout: Layout,
  credential: "controller" | "scheduler",
  component: Extract<Component, "kube-controller-manager" | "kube-scheduler">,
): Record<string, FlagValue> {
  const kubeconfig = path.join(layout.cred, `${credential}.kubeconfig`);
  const serving = path.join(layout.tls, component, component);
  return {
    kubeconfig,
    "authentication-kubeconfig": kubeconfig,
    "authorization-kubeconfig": kubeconfig,
    "bind-address": "127.0.0.1",
    profiling: false,
    "tls-cert-file": `${serving}.crt`,
    "tls-private-key-file": `${serving}.key`,
  };
}

/** etcd's configuration file; etcd takes it alone and ignores its command line then. */
export function etcdConfig(
  settings: Settings,
  layout: Layout,
  member: { name: string; cluster?: string; state?: "new" | "existing"; forceNewCluster?: boolean },
): Record<string, unknown> {
  const tls = (name: string): string => path.join(layout.tls, "etcd", name);
  const peerUrl = `https://${settings.nodeIp}:2380`;
  const metrics = [
    "http://127.0.0.1:2381",
    ...(settings.exposeEtcdMetrics ? [`http://${settings.nodeIp}:2381`] : []),
  ];
  return {
    name: member.name,
    "data-dir": layout.etcd,
    "listen-client-urls": `https://127.0.0.1:2379,https://${settings.nodeIp}:2379`,
    "advertise-client-urls": `https://${settings.nodeIp}:2379`,
    "listen-peer-urls": `https://127.0.0.1:2380,${peerUrl}`,
    "initial-advertise-peer-urls": peerUrl,
    ...(member.cluster === undefined ? {} : { "initial-cluster": member.cluster }),
    ...(member.state === undefined ? {} : { "initial-cluster-state": member.state }),
    ...(member.forceNewCluster === true ? { "force-new-cluster": true } : {}),
    "listen-metrics-urls": metrics.join(","),
    "heartbeat-interval": 500,
    "election-timeout": 5000,
    "snapshot-count": 10_000,
    logger: "zap",
    "log-outputs": ["stderr"],
    "client-transport-security": {
      "client-cert-auth": true,
      "cert-file": tls("server-client.crt"),
      "key-file": tls("server-client.key"),
      "trusted-ca-file": tls("server-ca.crt"),
    },
    "peer-transport-security": {
      "client-cert-auth": true,
      "cert-file": tls("peer-server-client.crt"),
      "key-file": tls("peer-server-client.key"),
      "trusted-ca-file": tls("peer-ca.crt"),
    },
    ...Object.fromEntries(settings.extraArguments.etcd.map(etcdSetting)),
  };
}

function etcdSetting(argument: string): [string, unknown] {
  const at = argument.indexOf("=");
  const [name, text] = at === -1 ? [argument, "true"] : [argument.slice(0, at), argument.slice(at + 1)];
  if (text === "true" || text === "false") return [name, text === "true"];
  return [name, /^\d+$/.test(text) ? Number(text) : text];
}
