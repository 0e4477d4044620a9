// What a member gets so that its syncer runs in it: pure, as objects in the order in which they are applied.
import { dump } from "js-yaml";
import { SYSTEM_NAMESPACE } from "../api";
import type { KubernetesObject, Resource } from "../controllers/runtime";
import { CLUSTER_ANNOTATION } from "../controllers/syncer/names";
import {
  BOOTSTRAP_SECRET,
  CERTIFICATE_SECRET,
  rolesOf,
  SYNCER_LABELS,
  SYNCER_NAME,
} from "../controllers/syncer/role";
import { ExitCode, Failure } from "../lib/failure";

/** What is installed, and where its image is. */
export interface Installation {
  /** The member's name on the hub. */
  cluster: string;
  /** By its digest. */
  image: string;
  /** The hub's address, as the member reaches it. */
  server: string;
  /** The kubeconfig with that address and the one-time token. */
  bootstrap: string;
  /** Kinds of definitions that are placed as well, as `resource.group`. */
  kinds: readonly string[];
}

/** An object, and how the API server knows its kind. */
export interface InstalledObject {
  resource: Resource;
  object: KubernetesObject;
}

/** Where the pod finds the one-time token. */
export const BOOTSTRAP_FOLDER = "/etc/fleetwright/bootstrap";
const PORT = 8080;
const RBAC = "rbac.authorization.k8s.io";
const SELECTOR = { "app.kubernetes.io/name": SYNCER_NAME };
const LABELS = { ...SYNCER_LABELS, ...SELECTOR };

/** The kinds of definitions in a list such as `certificates.cert-manager.io,widgets.example.com`. */
export function kindsIn(list = ""): string[] {
  const kinds = list.split(",").filter((kind) => kind !== "");
  const wrong = kinds.find((kind) => !/^[a-z0-9]+(\.[-a-z0-9]+)+$/.test(kind));
  if (wrong !== undefined)
    throw new Failure(
      `--kinds names ${JSON.stringify(wrong)}: give resource.group, as kubectl get crds shows it, separated by commas.`,
      ExitCode.usage,
    );
  return kinds;
}

/** Everything that a syncer in its member needs. */
export function installation({ cluster, image, server, bootstrap, kinds }: Installation): InstalledObject[] {
  const namespace = SYSTEM_NAMESPACE;
  const own = { name: SYNCER_NAME, namespace, labels: LABELS };
  const subjects = [{ kind: "ServiceAccount", name: SYNCER_NAME, namespace }];
  const [clusterRole, role] = rolesOf(namespace, kinds);
  const { "app.kubernetes.io/managed-by": managedBy } = SYNCER_LABELS;
  return [
    // It may be there already, with what the cluster's own stack says of it.
    of("", "v1", "Namespace", { name: namespace, labels: { "app.kubernetes.io/managed-by": managedBy } }, {}),
    of("", "v1", "ServiceAccount", own, { automountServiceAccountToken: false }),
    of(RBAC, "v1", "ClusterRole", clusterRole.metadata, { rules: clusterRole.rules }),
    of(
      RBAC,
      "v1",
      "ClusterRoleBinding",
      { name: SYNCER_NAME, labels: LABELS },
      {
        roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: SYNCER_NAME },
        subjects,
      },
    ),
    of(RBAC, "v1", "Role", role.metadata, { rules: role.rules }),
    of(RBAC, "v1", "RoleBinding", own, {
      roleRef: { apiGroup: RBAC, kind: "Role", name: SYNCER_NAME },
      subjects,
    }),
    // Probes and metrics in; names and both API servers out, whatever else is closed in this namespace.
    of("networking.k8s.io", "v1", "NetworkPolicy", own, {
      spec: {
        podSelector: { matchLabels: SELECTOR },
        policyTypes: ["Ingress", "Egress"],
        ingress: [{ ports: [{ port: PORT, protocol: "TCP" }] }],
        egress: [
          { ports: ["UDP", "TCP"].map((protocol) => ({ port: 53, protocol })) },
          { ports: apiPorts(server).map((port) => ({ port, protocol: "TCP" })) },
        ],
      },
    }),
    of(
      "",
      "v1",
      "Secret",
      { name: BOOTSTRAP_SECRET, namespace, labels: LABELS },
      {
        type: "Opaque",
        data: { kubeconfig: Buffer.from(bootstrap).toString("base64") },
      },
    ),
    of(
      "apps",
      "v1",
      "Deployment",
      { ...own, annotations: { [CLUSTER_ANNOTATION]: cluster } },
      {
        spec: deployment(cluster, image),
      },
    ),
  ];
}

/** The Deployment of a syncer: its annotation says which member it serves. */
export const SYNCER_DEPLOYMENT = { namespace: SYSTEM_NAMESPACE, name: SYNCER_NAME };

/** Everything that a syncer in its member leaves, in the order in which it was made. */
export function installed(cluster: string): InstalledObject[] {
  const namespace = SYSTEM_NAMESPACE;
  return [
    of("", "v1", "Secret", { name: CERTIFICATE_SECRET, namespace }, {}),
    ...installation({ cluster, image: "", server: "https://hub", bootstrap: "", kinds: [] }),
  ];
}

/** The objects of an installation as one manifest for kubectl. */
export function manifestOf(objects: readonly InstalledObject[]): string {
  return objects.map(({ object }) => dump(object, { lineWidth: -1, noRefs: true })).join("---\n");
}

function deployment(cluster: string, image: string): object {
  const probe = (path: string, periodSeconds: number): object => ({
    httpGet: { path, port: "metrics" },
    periodSeconds,
    timeoutSeconds: 5,
  });
  return {
    replicas: 1,
    selector: { matchLabels: SELECTOR },
    // Two of them would work on the same objects.
    strategy: { type: "Recreate" },
    template: {
      metadata: { labels: LABELS },
      spec: {
        serviceAccountName: SYNCER_NAME,
        automountServiceAccountToken: true,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 30,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 65532,
          runAsGroup: 65532,
          fsGroup: 65532,
          seccompProfile: { type: "RuntimeDefault" },
        },
        containers: [
          {
            name: "syncer",
            image,
            imagePullPolicy: "IfNotPresent",
            args: [
              `--cluster=${cluster}`,
              `--bootstrap=${BOOTSTRAP_FOLDER}/kubeconfig`,
              `--hub-secret=${SYSTEM_NAMESPACE}/${CERTIFICATE_SECRET}`,
              `--port=${PORT}`,
            ],
            env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            ports: [{ name: "metrics", containerPort: PORT }],
            livenessProbe: probe("/healthz", 20),
            readinessProbe: probe("/readyz", 5),
            resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ["ALL"] },
            },
            volumeMounts: [{ name: "bootstrap", mountPath: BOOTSTRAP_FOLDER, readOnly: true }],
          },
        ],
        volumes: [{ name: "bootstrap", secret: { secretName: BOOTSTRAP_SECRET, defaultMode: 0o440 } }],
      },
    },
  };
}

/** The usual ports of API servers, and that of this hub. */
function apiPorts(server: string): number[] {
  return [...new Set([443, 6443, Number(new URL(server).port || 443)])].sort((a, b) => a - b);
}

function of(
  group: string,
  version: string,
  kind: string,
  metadata: KubernetesObject["metadata"],
  rest: object,
): InstalledObject {
  const plural = kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`;
  return {
    resource: {
      group,
      version,
      kind,
      plural: plural.toLowerCase(),
      namespaced: metadata.namespace !== undefined,
    },
    object: { apiVersion: group === "" ? version : `${group}/${version}`, kind, metadata, ...rest },
  };
}
