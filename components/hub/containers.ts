// What runs in a hub's pod: one program of ours, or three of Kubernetes'.
import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { HubSettings } from "./problems";

/** A container, with the program that it runs in plain words. */
interface Container extends kubernetes.types.input.core.v1.Container {
  command: [program: string];
  args: pulumi.Input<string>[];
}

/** The port of the API server in its pod. */
export const PORT = 6443;
const KEYS = "/etc/hub/keys";
const CONFIGURATION = "/etc/hub/configuration";
const ETCD_KEYS = "/etc/hub/etcd";
const CONTROLLERS = "/etc/hub/controllers";
const STATE = "/var/lib/hub";
const SOCKET = `${STATE}/etcd.sock`;

/** The controllers that an API server without pods needs. hub-apiserver has them in it. */
const CONTROLLER_NAMES = [
  "namespace-controller",
  "garbage-collector-controller",
  "certificatesigningrequest-signing-controller",
  "certificatesigningrequest-cleaner-controller",
  "serviceaccount-controller",
  "serviceaccount-token-controller",
  "clusterrole-aggregation-controller",
  "bootstrap-signer-controller",
  "token-cleaner-controller",
  "root-ca-certificate-publisher-controller",
];

const SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** The containers of a hub's pod. */
export function hubContainers(settings: HubSettings, issuer: string): Container[] {
  const { server, image, kubernetes: own, etcd } = settings;
  const flags = [...serving(issuer), ...(etcd === undefined ? [] : outside(etcd))];
  if (server === "hub-apiserver") {
    const store = [`--etcd-data-dir=${STATE}/etcd`, `--etcd-socket=${SOCKET}`];
    return [
      apiServer(image ?? "", ["hub-apiserver"], settings, [
        ...flags,
        ...(etcd === undefined ? store : []),
        `--root-ca-file=${KEYS}/server-ca.crt`,
        ...signing(),
      ]),
    ];
  }
  return [
    ...(etcd === undefined ? [ownEtcd(own?.etcdImage ?? "")] : []),
    apiServer(own?.apiServerImage ?? "", ["kube-apiserver"], settings, [
      ...flags,
      ...(etcd === undefined ? [`--etcd-servers=unix://${SOCKET}`] : []),
      "--authorization-mode=RBAC",
      "--endpoint-reconciler-type=none",
      "--service-cluster-ip-range=10.0.0.0/12",
      // Its finalizer would stay: what takes it away runs where pods do.
      "--disable-admission-plugins=StorageObjectInUseProtection",
    ]),
    controllerManager(own?.controllerManagerImage ?? "", settings),
  ];
}

/** Where the containers find what they read and write. */
export function hubVolumes(
  { etcd }: HubSettings,
  names: {
    keys: pulumi.Input<string>;
    configuration: pulumi.Input<string>;
    claim: pulumi.Input<string> | undefined;
    controllers: pulumi.Input<string> | undefined;
  },
): kubernetes.types.input.core.v1.Volume[] {
  const secret = (name: string, secretName: pulumi.Input<string>) => ({
    name,
    secret: { secretName, defaultMode: 0o440 },
  });
  return [
    secret("keys", names.keys),
    { name: "configuration", configMap: { name: names.configuration } },
    names.claim === undefined
      ? { name: "state", emptyDir: { sizeLimit: "64Mi" } }
      : { name: "state", persistentVolumeClaim: { claimName: names.claim } },
    ...(etcd === undefined ? [] : [secret("etcd", etcd.secretName)]),
    ...(names.controllers === undefined ? [] : [secret("controllers", names.controllers)]),
  ];
}

function apiServer(
  image: string,
  command: [program: string],
  { etcd }: HubSettings,
  args: pulumi.Input<string>[],
): Container {
  const ask = (path: string) => ({ httpGet: { path, port: "api", scheme: "HTTPS" } });
  return {
    name: "server",
    image,
    imagePullPolicy: "IfNotPresent",
    command,
    args,
    ports: [{ name: "api", containerPort: PORT }],
    startupProbe: { ...ask("/livez"), periodSeconds: 2, failureThreshold: 90 },
    livenessProbe: { ...ask("/livez"), periodSeconds: 10, timeoutSeconds: 15, failureThreshold: 6 },
    readinessProbe: { ...ask("/readyz"), periodSeconds: 5, timeoutSeconds: 15 },
    resources: { requests: { cpu: "200m", memory: "512Mi" }, limits: { memory: "4Gi" } },
    securityContext: SECURITY,
    volumeMounts: [
      { name: "keys", mountPath: KEYS, readOnly: true },
      { name: "configuration", mountPath: CONFIGURATION, readOnly: true },
      { name: "state", mountPath: STATE },
      ...(etcd === undefined ? [] : [{ name: "etcd", mountPath: ETCD_KEYS, readOnly: true }]),
    ],
  };
}

function serving(issuer: string): string[] {
  return [
    `--secure-port=${PORT}`,
    `--tls-cert-file=${KEYS}/server.crt`,
    `--tls-private-key-file=${KEYS}/server.key`,
    `--client-ca-file=${KEYS}/client-ca.crt`,
    `--service-account-issuer=${issuer}`,
    `--service-account-signing-key-file=${KEYS}/service-accounts.key`,
    `--service-account-key-file=${KEYS}/service-accounts.pub`,
    `--authentication-config=${CONFIGURATION}/authentication.yaml`,
    "--enable-bootstrap-token-auth=true",
    `--audit-policy-file=${CONFIGURATION}/audit-policy.yaml`,
    // To the log of the pod, which is collected like any other.
    "--audit-log-path=-",
    "--profiling=false",
    // Who still has the address of a pod that goes is served until the address is gone.
    "--shutdown-delay-duration=5s",
  ];
}

function outside({ servers }: NonNullable<HubSettings["etcd"]>): pulumi.Input<string>[] {
  return [
    pulumi.interpolate`--etcd-servers=${pulumi.all(servers).apply((urls) => urls.join(","))}`,
    `--etcd-cafile=${ETCD_KEYS}/ca.crt`,
    `--etcd-certfile=${ETCD_KEYS}/tls.crt`,
    `--etcd-keyfile=${ETCD_KEYS}/tls.key`,
  ];
}

function signing(): string[] {
  return [
    `--cluster-signing-cert-file=${KEYS}/client-ca.crt`,
    `--cluster-signing-key-file=${KEYS}/client-ca.key`,
  ];
}

/** An etcd of one member on a socket, as hub-apiserver starts it. */
function ownEtcd(image: string): Container {
  const peer = "unix://etcd-peer:0";
  return {
    name: "etcd",
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["etcd"],
    args: [
      "--name=hub",
      `--data-dir=${STATE}/etcd`,
      `--listen-client-urls=unix://${SOCKET}`,
      `--advertise-client-urls=${peer}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=hub=${peer}`,
      "--quota-backend-bytes=8589934592",
    ],
    workingDir: STATE,
    resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "2Gi" } },
    securityContext: SECURITY,
    volumeMounts: [{ name: "state", mountPath: STATE }],
  };
}

function controllerManager(image: string, { etcd }: HubSettings): Container {
  return {
    name: "controllers",
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["kube-controller-manager"],
    args: [
      `--controllers=${CONTROLLER_NAMES.join(",")}`,
      `--kubeconfig=${CONTROLLERS}/kubeconfig`,
      "--use-service-account-credentials=true",
      `--root-ca-file=${KEYS}/server-ca.crt`,
      `--service-account-private-key-file=${KEYS}/service-accounts.key`,
      ...signing(),
      `--leader-elect=${etcd !== undefined}`,
      "--bind-address=127.0.0.1",
      "--profiling=false",
    ],
    resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    securityContext: SECURITY,
    volumeMounts: [
      { name: "keys", mountPath: KEYS, readOnly: true },
      { name: "controllers", mountPath: CONTROLLERS, readOnly: true },
    ],
  };
}
