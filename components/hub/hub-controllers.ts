import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { metadataOf } from "../addons/declaration";
import { probes } from "../agent/probes";
import { settingsOf } from "../schema";
import { transformed, withoutTransform } from "../transform";
import type { HubControllersArgs } from "./fleet-args";
import { checkHubControllers, type HubControllersSettings } from "./fleet-problems";

const NAME = "fleetwright-hub-controllers";
const SELECTOR = { "app.kubernetes.io/name": NAME };
const PORT = 8080;
const ACCESS = "/etc/hub/access";

/**
 * The program that works on a hub: it takes clusters in, places what is pinned to them, and keeps those in step that the
 * hub calls. It has no rights in the cluster that it runs in.
 *
 * @example
 * const hub = new Hub("hub", { image: hubImage }, { provider });
 * new HubControllers("hub-controllers", { image, namespace: hub.namespace, kubeconfig: hub.kubeconfig }, { provider });
 */
export class HubControllers extends pulumi.ComponentResource {
  readonly deployment: kubernetes.apps.v1.Deployment;

  constructor(name: string, args: HubControllersArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const settings = settingsOf("hub controllers", checkHubControllers(args), opts.parent);
    const shown = { ...withoutTransform(args), kubeconfig: pulumi.secret(args.kubeconfig) };
    super("fleetwright:index:HubControllers", name, shown, opts);
    const { namespace, labels, replicas } = settings;
    const transform = args.transform ?? {};
    const parent = { parent: this };
    const own = { ...metadataOf(NAME, { ...labels, ...SELECTOR }), namespace };
    const access = new kubernetes.core.v1.Secret(
      name,
      { metadata: own, stringData: { kubeconfig: pulumi.secret(settings.kubeconfig) } },
      parent,
    );
    const account = new kubernetes.core.v1.ServiceAccount(
      name,
      { metadata: own, automountServiceAccountToken: false },
      parent,
    );
    const policy = new kubernetes.networking.v1.NetworkPolicy(
      ...transformed<kubernetes.networking.v1.NetworkPolicyArgs>(
        transform.networkPolicy,
        name,
        { metadata: own, spec: networkPolicy(settings) },
        parent,
      ),
    );
    this.deployment = new kubernetes.apps.v1.Deployment(
      ...transformed<kubernetes.apps.v1.DeploymentArgs>(
        transform.deployment,
        name,
        {
          metadata: own,
          spec: {
            replicas,
            selector: { matchLabels: SELECTOR },
            strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
            template: {
              metadata: { labels: { ...labels, ...SELECTOR } },
              spec: podSpec(settings, account.metadata.name, access.metadata.name),
            },
          },
        },
        { ...parent, dependsOn: [policy] },
      ),
    );
    if (replicas > 1)
      new kubernetes.policy.v1.PodDisruptionBudget(
        ...transformed<kubernetes.policy.v1.PodDisruptionBudgetArgs>(
          transform.disruptionBudget,
          name,
          { metadata: own, spec: { maxUnavailable: 1, selector: { matchLabels: SELECTOR } } },
          parent,
        ),
      );
    this.registerOutputs({});
  }
}

function podSpec(
  { image, controllers, syncers, logLevel }: HubControllersSettings,
  serviceAccountName: pulumi.Input<string>,
  secretName: pulumi.Input<string>,
): kubernetes.types.input.core.v1.PodSpec {
  return {
    serviceAccountName,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 30,
    topologySpreadConstraints: ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map(
      (topologyKey) => ({
        topologyKey,
        maxSkew: 1,
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: SELECTOR },
      }),
    ),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      fsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: "controllers",
        image,
        imagePullPolicy: "IfNotPresent",
        args: [
          `--kubeconfig=${ACCESS}/kubeconfig`,
          `--controllers=${controllers}`,
          `--syncers=${syncers}`,
          `--log-level=${logLevel}`,
          `--port=${PORT}`,
        ],
        env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        ports: [{ name: "metrics", containerPort: PORT }],
        ...probes(20),
        resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        volumeMounts: [{ name: "access", mountPath: ACCESS, readOnly: true }],
      },
    ],
    volumes: [{ name: "access", secret: { secretName, defaultMode: 0o440 } }],
  };
}

/** Probes and metrics in; names, the hub and the members out. */
function networkPolicy({
  apiPorts,
}: HubControllersSettings): kubernetes.types.input.networking.v1.NetworkPolicySpec {
  return {
    podSelector: { matchLabels: SELECTOR },
    policyTypes: ["Ingress", "Egress"],
    ingress: [{ ports: [{ port: PORT, protocol: "TCP" }] }],
    egress: [
      { ports: ["UDP", "TCP"].map((protocol) => ({ port: 53, protocol })) },
      { ports: apiPorts.map((port) => ({ port, protocol: "TCP" })) },
    ],
  };
}
