import { join } from "node:path";
import { configurationFiles } from "./configuration";
import { renderFlags, type FlagValue } from "./flags";
import { certificateFiles, kubeconfigFile, type Layout } from "./layout";
import { CLUSTER_DOMAIN, LOOPBACK, POD_RANGE, SERVICE_RANGE } from "./network";
import { serviceAccountKeyFiles, type LeafName } from "./pki";
import type { Ports } from "./ports";

/** The programs of a control plane, in the order in which they start. */
export const COMPONENTS = [
  "etcd",
  "kube-apiserver",
  "hub-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kwok",
] as const;

/** The name of one of the programs. */
export type ComponentName = (typeof COMPONENTS)[number];

/** The order of stopping: those that only use the API together, then the API server, then its store. */
export const STOP_ORDER: readonly (readonly ComponentName[])[] = [
  ["kwok", "kube-scheduler", "kube-controller-manager"],
  ["kube-apiserver", "hub-apiserver"],
  ["etcd"],
];

/** The identities that components act as, by the name of their certificate. */
export const COMPONENT_IDENTITIES = {
  "kube-controller-manager": "controller-manager",
  "kube-scheduler": "scheduler",
  kwok: "kwok",
} as const satisfies Partial<Record<ComponentName, LeafName>>;

/** What decides the command lines. */
export interface ComponentContext {
  layout: Layout;
  ports: Ports;
  name: string;
  /** Whether etcd waits for the disk. */
  durable: boolean;
  /** The program of etcd, for the hub's API server, which starts its own. */
  etcdProgram: string;
}

/** The port of a component's health endpoint. */
export function portOf(component: ComponentName, ports: Ports): number {
  const byComponent: Record<ComponentName, number> = {
    etcd: ports.etcdClient,
    "kube-apiserver": ports.apiServer,
    "hub-apiserver": ports.apiServer,
    "kube-controller-manager": ports.controllerManager,
    "kube-scheduler": ports.scheduler,
    kwok: ports.kwok,
  };
  return byComponent[component];
}

/** The command line of a component, without the program itself. */
export function argumentsOf(component: ComponentName, context: ComponentContext): string[] {
  const flags: Record<ComponentName, (context: ComponentContext) => Record<string, FlagValue>> = {
    etcd,
    "kube-apiserver": apiServer,
    "hub-apiserver": hubApiServer,
    "kube-controller-manager": controllerManager,
    "kube-scheduler": scheduler,
    kwok,
  };
  return renderFlags(flags[component](context));
}

/** How kwok simulates nodes and pods. */
const KWOK_CONFIGURATION = join(__dirname, "kwok.yaml");

function etcd({ layout, ports, durable }: ComponentContext): Record<string, FlagValue> {
  const server = certificateFiles(layout, "etcd-server");
  const peer = certificateFiles(layout, "etcd-peer");
  const authority = certificateFiles(layout, "etcd-ca").certificate;
  const clientUrl = `https://${LOOPBACK}:${ports.etcdClient}`;
  const peerUrl = `https://${LOOPBACK}:${ports.etcdPeer}`;
  return {
    name: "sandbox",
    "data-dir": layout.etcdData,
    "listen-client-urls": clientUrl,
    "advertise-client-urls": clientUrl,
    "listen-peer-urls": peerUrl,
    "initial-advertise-peer-urls": peerUrl,
    "initial-cluster": `sandbox=${peerUrl}`,
    "client-cert-auth": true,
    "trusted-ca-file": authority,
    "cert-file": server.certificate,
    "key-file": server.key,
    "peer-client-cert-auth": true,
    "peer-trusted-ca-file": authority,
    "peer-cert-file": peer.certificate,
    "peer-key-file": peer.key,
    // A single member votes for itself: nothing is gained by waiting a second for others.
    "heartbeat-interval": 50,
    "election-timeout": 500,
    "quota-backend-bytes": 8 * 1024 ** 3,
    "log-level": "warn",
    "unsafe-no-fsync": durable ? undefined : true,
  };
}

function apiServer(context: ComponentContext): Record<string, FlagValue> {
  const { layout, ports } = context;
  const etcdClient = certificateFiles(layout, "apiserver-etcd-client");
  const kubeletClient = certificateFiles(layout, "apiserver-kubelet-client");
  return {
    ...serving(context),
    // An endpoint may not have a loopback address: the service `kubernetes` has none until real nodes need one.
    "endpoint-reconciler-type": "none",
    "etcd-servers": `https://${LOOPBACK}:${ports.etcdClient}`,
    "etcd-cafile": certificateFiles(layout, "etcd-ca").certificate,
    "etcd-certfile": etcdClient.certificate,
    "etcd-keyfile": etcdClient.key,
    "kubelet-client-certificate": kubeletClient.certificate,
    "kubelet-client-key": kubeletClient.key,
    "kubelet-preferred-address-types": ["InternalIP", "Hostname"],
    "service-cluster-ip-range": SERVICE_RANGE,
    "authorization-mode": ["Node", "RBAC"],
    "enable-admission-plugins": "NodeRestriction",
    "allow-privileged": true,
  };
}

function hubApiServer(context: ComponentContext): Record<string, FlagValue> {
  const { layout, durable, etcdProgram } = context;
  const authority = certificateFiles(layout, "ca");
  return {
    ...serving(context),
    "etcd-data-dir": layout.etcdData,
    "etcd-binary": etcdProgram,
    "etcd-arg": durable ? undefined : "--unsafe-no-fsync=true",
    "root-ca-file": authority.certificate,
    "cluster-signing-cert-file": authority.certificate,
    "cluster-signing-key-file": authority.key,
  };
}

/** Who is served where, who they are, and what is recorded of them: the same for every API server. */
function serving({ layout, ports }: ComponentContext): Record<string, FlagValue> {
  const server = certificateFiles(layout, "apiserver");
  const frontProxy = certificateFiles(layout, "front-proxy-client");
  const serviceAccount = serviceAccountKeyFiles(layout);
  const configuration = configurationFiles(layout);
  return {
    "bind-address": LOOPBACK,
    "secure-port": ports.apiServer,
    "advertise-address": LOOPBACK,
    "tls-cert-file": server.certificate,
    "tls-private-key-file": server.key,
    "client-ca-file": certificateFiles(layout, "ca").certificate,
    "proxy-client-cert-file": frontProxy.certificate,
    "proxy-client-key-file": frontProxy.key,
    "requestheader-client-ca-file": certificateFiles(layout, "front-proxy-ca").certificate,
    "requestheader-allowed-names": "front-proxy-client",
    "requestheader-username-headers": "X-Remote-User",
    "requestheader-group-headers": "X-Remote-Group",
    "requestheader-extra-headers-prefix": "X-Remote-Extra-",
    "service-account-issuer": `https://kubernetes.default.svc.${CLUSTER_DOMAIN}`,
    "service-account-signing-key-file": serviceAccount.key,
    "service-account-key-file": serviceAccount.publicKey,
    "authentication-config": configuration.authentication,
    "enable-bootstrap-token-auth": true,
    "audit-policy-file": configuration.auditPolicy,
    "audit-log-path": layout.auditLog,
    "audit-log-maxsize": 20,
    "audit-log-maxbackup": 3,
    "audit-log-maxage": 7,
    profiling: false,
  };
}

function controllerManager({ layout, ports, name }: ComponentContext): Record<string, FlagValue> {
  const authority = certificateFiles(layout, "ca");
  return {
    ...apiUser(layout, "kube-controller-manager", "controller-manager-server", ports.controllerManager),
    controllers: ["*", "bootstrapsigner", "tokencleaner"],
    "use-service-account-credentials": true,
    "root-ca-file": authority.certificate,
    "service-account-private-key-file": serviceAccountKeyFiles(layout).key,
    "cluster-signing-cert-file": authority.certificate,
    "cluster-signing-key-file": authority.key,
    "cluster-name": name,
    "allocate-node-cidrs": true,
    "cluster-cidr": POD_RANGE,
    "service-cluster-ip-range": SERVICE_RANGE,
  };
}

function scheduler({ layout, ports }: ComponentContext): Record<string, FlagValue> {
  return apiUser(layout, "kube-scheduler", "scheduler-server", ports.scheduler);
}

function apiUser(
  layout: Layout,
  component: "kube-controller-manager" | "kube-scheduler",
  server: LeafName,
  port: number,
): Record<string, FlagValue> {
  const kubeconfig = kubeconfigFile(layout, COMPONENT_IDENTITIES[component]);
  const serving = certificateFiles(layout, server);
  return {
    kubeconfig,
    "authentication-kubeconfig": kubeconfig,
    "authorization-kubeconfig": kubeconfig,
    "bind-address": LOOPBACK,
    "secure-port": port,
    "tls-cert-file": serving.certificate,
    "tls-private-key-file": serving.key,
    "client-ca-file": certificateFiles(layout, "ca").certificate,
    "requestheader-client-ca-file": certificateFiles(layout, "front-proxy-ca").certificate,
    // There is one of each, so a lease would only delay the start.
    "leader-elect": false,
    // The defaults (20 and 30) make a thousand simulated nodes slow.
    "kube-api-qps": 200,
    "kube-api-burst": 400,
    profiling: false,
  };
}

function kwok({ layout, ports }: ComponentContext): Record<string, FlagValue> {
  const serving = certificateFiles(layout, "kwok-server");
  return {
    kubeconfig: kubeconfigFile(layout, COMPONENT_IDENTITIES.kwok),
    config: KWOK_CONFIGURATION,
    "manage-nodes-with-annotation-selector": "kwok.x-k8s.io/node=fake",
    "node-lease-duration-seconds": 40,
    "server-address": `${LOOPBACK}:${ports.kwok}`,
    "tls-cert-file": serving.certificate,
    "tls-private-key-file": serving.key,
    cidr: POD_RANGE,
  };
}
