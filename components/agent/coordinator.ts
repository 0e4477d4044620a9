import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { metadataOf, type Labels } from "../addons/declaration";
import { settingsOf } from "../schema";
import { transformed, withoutTransform, type Transform } from "../transform";
import { declareIdentity, type IdentityTransforms } from "./identity";
import { declareObject, type PlainObject } from "./plain-objects";
import { checkCoordinator, type CoordinatorSettings } from "./problems";
import { probes } from "./probes";
import declared from "./roles.json";
import { PRIORITY_CLASS } from "./system-namespace";

/** The arguments of `Coordinator`. */
export interface CoordinatorArgs {
  /** By its digest. @example "registry.example.com/fleetwright/coordinator@sha256:…" */
  image: string;
  /** Where it runs, such as the `namespace` of a `SystemNamespace`. */
  namespace: pulumi.Input<string>;
  /** One works, the others wait to take over. @default 2 */
  replicas?: number;
  /** Which controllers run: names, `*` for all, `-name` for not. @default "*" */
  controllers?: string;
  /** debug, info, warn or error. @default "info" */
  logLevel?: string;
  /** Annotations of the service account, such as `eks.amazonaws.com/role-arn`. @default {} */
  serviceAccountAnnotations?: Labels;
  /** A Secret in its namespace with the keys AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN, if there is one), with which it asks AWS where its pods have no role, as on RKE2. It waits for the Secret. @default none: it asks with the role of its pods @example "coordinator-aws" */
  awsSecret?: string;
  /** Whether to declare a ServiceMonitor, for the Prometheus operator. Its kinds must be in the cluster. @default false */
  serviceMonitor?: boolean;
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
  transform?: CoordinatorTransforms;
}

/** Overrides for the children of `Coordinator`. */
export interface CoordinatorTransforms extends IdentityTransforms {
  deployment?: Transform<kubernetes.apps.v1.DeploymentArgs>;
  disruptionBudget?: Transform<kubernetes.policy.v1.PodDisruptionBudgetArgs>;
  networkPolicy?: Transform<kubernetes.networking.v1.NetworkPolicyArgs>;
  service?: Transform<kubernetes.core.v1.ServiceArgs>;
  serviceMonitor?: Transform<kubernetes.apiextensions.CustomResourceArgs>;
}

const NAME = "fleetwright-coordinator";
const PORT = 8080;

/**
 * The program that keeps a cluster in its declared shape.
 *
 * @example
 * const system = new SystemNamespace("system");
 * new Coordinator("coordinator", { image: "registry.example.com/coordinator@sha256:…", namespace: system.namespace });
 */
export class Coordinator extends pulumi.ComponentResource {
  readonly deployment: kubernetes.apps.v1.Deployment;

  constructor(name: string, args: CoordinatorArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const settings = settingsOf("coordinator", checkCoordinator(args), opts.parent);
    super("fleetwright:index:Coordinator", name, withoutTransform(args), opts);
    const { namespace, labels, replicas } = settings;
    const transform = args.transform ?? {};
    const parent = { parent: this };
    const selector = { "app.kubernetes.io/name": NAME };
    const own = { ...metadataOf(NAME, { ...labels, ...selector }), namespace };
    const { account, bindings } = declareIdentity(this, name, {
      program: "coordinator",
      namespace,
      labels: { ...labels, ...selector },
      annotations: settings.serviceAccountAnnotations,
      transform,
    });
    // With whose rights it makes some of its writes, by impersonation: no pod runs as one of them.
    const accounts: readonly PlainObject[] = declared.coordinatorAccounts;
    for (const account of accounts) declareObject(name, account, labels, parent);
    this.deployment = new kubernetes.apps.v1.Deployment(
      ...transformed<kubernetes.apps.v1.DeploymentArgs>(
        transform.deployment,
        name,
        {
          metadata: own,
          spec: {
            replicas,
            selector: { matchLabels: selector },
            // The new one is ready before an old one goes: somebody always waits to take over.
            strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
            template: {
              metadata: { labels: { ...labels, ...selector, "app.kubernetes.io/component": "coordinator" } },
              spec: podSpec(settings, account.metadata.name, selector),
            },
          },
        },
        { ...parent, dependsOn: bindings },
      ),
    );
    if (replicas > 1) {
      new kubernetes.policy.v1.PodDisruptionBudget(
        ...transformed<kubernetes.policy.v1.PodDisruptionBudgetArgs>(
          transform.disruptionBudget,
          name,
          { metadata: own, spec: { maxUnavailable: 1, selector: { matchLabels: selector } } },
          parent,
        ),
      );
    }
    new kubernetes.networking.v1.NetworkPolicy(
      ...transformed<kubernetes.networking.v1.NetworkPolicyArgs>(
        transform.networkPolicy,
        name,
        { metadata: own, spec: networkPolicy(selector) },
        parent,
      ),
    );
    new kubernetes.core.v1.Service(
      ...transformed<kubernetes.core.v1.ServiceArgs>(
        transform.service,
        name,
        {
          metadata: own,
          spec: {
            clusterIP: "None",
            selector,
            ports: [{ name: "metrics", port: PORT, targetPort: "metrics" }],
          },
        },
        parent,
      ),
    );
    if (settings.serviceMonitor) {
      new kubernetes.apiextensions.CustomResource(
        ...transformed<kubernetes.apiextensions.CustomResourceArgs>(
          transform.serviceMonitor,
          `${name}-monitor`,
          {
            apiVersion: "monitoring.coreos.com/v1",
            kind: "ServiceMonitor",
            metadata: own,
            spec: { selector: { matchLabels: selector }, endpoints: [{ port: "metrics" }] },
          },
          parent,
        ),
      );
    }
    this.registerOutputs({});
  }
}

function podSpec(
  { image, controllers, logLevel, awsSecret }: CoordinatorSettings,
  serviceAccountName: pulumi.Input<string>,
  selector: Labels,
): kubernetes.types.input.core.v1.PodSpec {
  const spread = (topologyKey: string): kubernetes.types.input.core.v1.TopologySpreadConstraint => ({
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: selector },
  });
  return {
    serviceAccountName,
    automountServiceAccountToken: true,
    priorityClassName: PRIORITY_CLASS,
    terminationGracePeriodSeconds: 30,
    topologySpreadConstraints: [spread("topology.kubernetes.io/zone"), spread("kubernetes.io/hostname")],
    // It has to come up where nothing else does yet: it is what makes nodes usable for others.
    tolerations: [
      { key: "node-role.kubernetes.io/control-plane", operator: "Exists" },
      { key: "node-role.kubernetes.io/etcd", operator: "Exists" },
    ],
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: "coordinator",
        image,
        imagePullPolicy: "IfNotPresent",
        args: [`--controllers=${controllers}`, `--log-level=${logLevel}`, `--port=${PORT}`],
        env: [
          { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          ...(awsSecret === undefined ? [] : awsKeys(awsSecret)),
        ],
        ports: [{ name: "metrics", containerPort: PORT }],
        ...probes(20),
        resources: {
          requests: { cpu: "50m", memory: "128Mi" },
          limits: { memory: "512Mi" },
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
      },
    ],
  };
}

/** The keys of a Secret, by the names under which AWS's own tools look for them too. */
function awsKeys(secret: string): kubernetes.types.input.core.v1.EnvVar[] {
  return ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"].map((key) => ({
    name: key,
    valueFrom: { secretKeyRef: { name: secret, key, optional: key === "AWS_SESSION_TOKEN" } },
  }));
}

/** Metrics and probes in; the API server, names and the registries' token services out. */
function networkPolicy(selector: Labels): kubernetes.types.input.networking.v1.NetworkPolicySpec {
  return {
    podSelector: { matchLabels: selector },
    policyTypes: ["Ingress", "Egress"],
    ingress: [{ ports: [{ port: PORT, protocol: "TCP" }] }],
    egress: [
      {
        ports: [
          { port: 53, protocol: "UDP" },
          { port: 53, protocol: "TCP" },
          { port: 443, protocol: "TCP" },
          { port: 6443, protocol: "TCP" },
        ],
      },
      // Where a pod asks its cloud for the credentials of its role.
      { to: [{ ipBlock: { cidr: "169.254.0.0/16" } }], ports: [{ port: 80, protocol: "TCP" }] },
    ],
  };
}
