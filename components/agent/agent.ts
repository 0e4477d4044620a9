// The agent as a component: a DaemonSet of ours, its service account and its rights.
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import {
  HOST_MOUNT,
  HOST_NAMESPACES,
  HOST_PATHS,
  METRICS_PORT,
  SECURITY_CONTEXT,
} from "../../api/agent-pod-requirements";
import { metadataOf, type Labels } from "../addons/declaration";
import { settingsOf } from "../schema";
import { transformed, withoutTransform, type Transform } from "../transform";
import { declareAdmission, type AdmissionTransforms } from "./admission";
import { declareMonitor, type MonitorTransforms, TLS_FOLDER } from "./agent-monitor";
import { declareIdentity, type IdentityTransforms } from "./identity";
import { type AgentSettings, checkAgent } from "./problems";
import { probes } from "./probes";
import { PRIORITY_CLASS } from "./system-namespace";

/** The arguments of `Agent`. */
export interface AgentArgs {
  /** By its digest. @example "registry.example.com/fleetwright/agent@sha256:…" */
  image: string;
  /** Where it runs, such as the `namespace` of a `SystemNamespace`. */
  namespace: pulumi.Input<string>;
  /** What becomes of the accounts on a node when the agent ends there: keep or lock. @default "keep" */
  onShutdown?: string;
  /** From where RKE2's releases come for upgrades. @default the project's own */
  rke2Releases?: string;
  /** debug, info, warn or error. @default "info" */
  logLevel?: string;
  /**
   * Whether to declare a ServiceMonitor, for the Prometheus operator: metrics are then served by HTTPS, with a certificate and a reader's account
   * of the stack's. Its kinds must be in the cluster. @default false
   */
  serviceMonitor?: boolean;
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
  transform?: IdentityTransforms &
    AdmissionTransforms &
    MonitorTransforms & { daemonSet?: Transform<kubernetes.apps.v1.DaemonSetArgs> };
}

const NAME = "fleetwright-agent";
const TLS_VOLUME = "tls";

/**
 * The program that looks after each node from the inside: accounts, upgrades, facts. It runs on every node, whatever its
 * taints, with exactly the folders and capabilities that `api/agent-pod-requirements.ts` names.
 *
 * @example
 * new Agent("agent", { image: "registry.example.com/agent@sha256:…", namespace: system.namespace });
 */
export class Agent extends pulumi.ComponentResource {
  readonly daemonSet: kubernetes.apps.v1.DaemonSet;

  constructor(name: string, args: AgentArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const settings = settingsOf("agent", checkAgent(args), opts.parent);
    super("fleetwright:index:Agent", name, withoutTransform(args), opts);
    const { namespace, labels } = settings;
    const selector = { "app.kubernetes.io/name": NAME };
    const { account, bindings } = declareIdentity(this, name, {
      program: "agent",
      namespace,
      labels: { ...labels, ...selector },
      transform: args.transform ?? {},
    });
    const admission = declareAdmission(this, name, { ...labels, ...selector }, args.transform ?? {});
    const monitor = settings.serviceMonitor
      ? declareMonitor(this, name, { namespace, selector, labels, transform: args.transform ?? {} })
      : undefined;
    this.daemonSet = new kubernetes.apps.v1.DaemonSet(
      ...transformed<kubernetes.apps.v1.DaemonSetArgs>(
        args.transform?.daemonSet,
        name,
        {
          metadata: { ...metadataOf(NAME, { ...labels, ...selector }), namespace },
          spec: {
            selector: { matchLabels: selector },
            updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } },
            template: {
              metadata: { labels: { ...labels, ...selector, "app.kubernetes.io/component": "agent" } },
              spec: podSpec(settings, account.metadata.name, monitor),
            },
          },
        },
        { parent: this, dependsOn: [...bindings, ...admission] },
      ),
    );
    this.registerOutputs({});
  }
}

function podSpec(
  { image, onShutdown, logLevel, rke2Releases }: AgentSettings,
  serviceAccountName: pulumi.Input<string>,
  monitor: { secretName: pulumi.Output<string> } | undefined,
): kubernetes.types.input.core.v1.PodSpec {
  const volumes = HOST_PATHS.map(({ path, type }) => ({
    name: `host${path.replaceAll(/[^a-z0-9]+/g, "-")}`,
    hostPath: { path, type },
  }));
  return {
    ...HOST_NAMESPACES,
    dnsPolicy: "ClusterFirstWithHostNet",
    serviceAccountName,
    automountServiceAccountToken: true,
    priorityClassName: PRIORITY_CLASS,
    terminationGracePeriodSeconds: 30,
    nodeSelector: { "kubernetes.io/os": "linux" },
    // A node that is ill or not ready yet needs it as well.
    tolerations: [{ operator: "Exists" }],
    // Also for a container that somebody else puts into the pod.
    securityContext: { seccompProfile: { ...SECURITY_CONTEXT.seccompProfile } },
    containers: [
      {
        name: "agent",
        image,
        imagePullPolicy: "IfNotPresent",
        args: [
          `--log-level=${logLevel}`,
          `--on-shutdown=${onShutdown}`,
          ...(rke2Releases === undefined ? [] : [`--rke2-releases=${rke2Releases}`]),
          ...(monitor === undefined ? [] : [`--tls=${TLS_FOLDER}`]),
        ],
        env: [{ name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
        ports: [{ name: "metrics", containerPort: METRICS_PORT }],
        ...(monitor === undefined ? probes(30) : probes(30, "HTTPS")),
        resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "256Mi" } },
        securityContext: {
          ...SECURITY_CONTEXT,
          capabilities: {
            drop: [...SECURITY_CONTEXT.capabilities.drop],
            add: [...SECURITY_CONTEXT.capabilities.add],
          },
        },
        volumeMounts: [
          ...HOST_PATHS.map(({ path, readOnly }, index) => ({
            name: volumes[index]?.name ?? "",
            mountPath: `${HOST_MOUNT}${path}`,
            readOnly,
            // What the host mounts later shows as well: a state volume may come after the pod.
            mountPropagation: "HostToContainer",
          })),
          ...(monitor === undefined ? [] : [{ name: TLS_VOLUME, mountPath: TLS_FOLDER, readOnly: true }]),
        ],
      },
    ],
    volumes: [
      ...volumes,
      ...(monitor === undefined
        ? []
        : [{ name: TLS_VOLUME, secret: { secretName: monitor.secretName, defaultMode: 0o400 } }]),
    ],
  };
}
