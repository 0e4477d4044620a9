import type { KubernetesObject } from "../runtime";
import { manifestOf } from "./manifest";

type Any = KubernetesObject & Record<string, unknown>;

function object(apiVersion: string, kind: string, fields: object, metadata: object = {}): Any {
  return { apiVersion, kind, metadata: { name: "a", namespace: "shop", ...metadata }, ...fields };
}

const pods = (labels: Record<string, string>): object => ({ metadata: { labels }, spec: { containers: [] } });

test("metadata keep the name and what a person wrote, and lose what the API server made up and what is ours", () => {
  const made = object(
    "v1",
    "ConfigMap",
    { data: { a: "b" }, status: { some: "thing" } },
    {
      uid: "1",
      resourceVersion: "2",
      generation: 3,
      creationTimestamp: "2026-01-01T00:00:00Z",
      managedFields: [],
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "b", uid: "3" }],
      finalizers: ["fleetwright.dev/share"],
      labels: { app: "a", "fleetwright.dev/cluster": "east" },
      annotations: {
        note: "b",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "fleetwright.dev/x": "y",
      },
    },
  );
  expect(manifestOf(made)).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "shop", labels: { app: "a" }, annotations: { note: "b" } },
    data: { a: "b" },
  });
});

const CASES: readonly (readonly [what: string, root: Any, manifest: object])[] = [
  [
    "a Deployment loses its revision and empty times",
    object(
      "apps/v1",
      "Deployment",
      { spec: { replicas: 2, template: { metadata: { creationTimestamp: null, labels: { app: "a" } } } } },
      { annotations: { "deployment.kubernetes.io/revision": "4" } },
    ),
    { spec: { replicas: 2, template: { metadata: { labels: { app: "a" } } } } },
  ],
  [
    "a Service gets an address and ports of the member's",
    object("v1", "Service", {
      spec: {
        clusterIP: "10.0.0.1",
        clusterIPs: ["10.0.0.1"],
        ipFamilies: ["IPv4"],
        healthCheckNodePort: 31_000,
        ports: [{ port: 80, nodePort: 30_080 }, { port: 81 }],
      },
    }),
    { spec: { ports: [{ port: 80 }, { port: 81 }] } },
  ],
  [
    "a Service without an address stays without",
    object("v1", "Service", { spec: { clusterIP: "None", clusterIPs: ["None"], ports: [] } }),
    { spec: { clusterIP: "None", clusterIPs: ["None"], ports: [] } },
  ],
  [
    "a Job loses its generated selector and labels and its time to live",
    object("batch/v1", "Job", {
      spec: {
        ttlSecondsAfterFinished: 5,
        selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "1" } },
        template: pods({
          app: "a",
          "controller-uid": "1",
          "job-name": "a",
          "batch.kubernetes.io/controller-uid": "1",
          "batch.kubernetes.io/job-name": "a",
        }),
      },
    }),
    { spec: { template: pods({ app: "a" }) } },
  ],
  [
    "a Job with a selector of a person's keeps it",
    object("batch/v1", "Job", {
      spec: { manualSelector: true, selector: { matchLabels: { app: "a" } }, template: pods({ app: "a" }) },
    }),
    { spec: { manualSelector: true, selector: { matchLabels: { app: "a" } }, template: pods({ app: "a" }) } },
  ],
  [
    "a claim leaves its volume to the member",
    object(
      "v1",
      "PersistentVolumeClaim",
      { spec: { volumeName: "pv-1", storageClassName: "fast" } },
      {
        annotations: {
          "volume.kubernetes.io/selected-node": "n",
          "pv.kubernetes.io/bind-completed": "yes",
        },
      },
    ),
    { spec: { storageClassName: "fast" } },
  ],
  [
    "a volume leaves its claim to the member",
    object("v1", "PersistentVolume", {
      spec: { claimRef: { name: "x", uid: "1" }, capacity: { storage: "1Gi" } },
    }),
    { spec: { capacity: { storage: "1Gi" } } },
  ],
  [
    "an account leaves its secrets to the member",
    object("v1", "ServiceAccount", {
      secrets: [{ name: "a-token-x" }],
      imagePullSecrets: [{ name: "pull" }],
    }),
    { imagePullSecrets: [{ name: "pull" }] },
  ],
  [
    "a Pod leaves its node to the member",
    object("v1", "Pod", { spec: { nodeName: "n", containers: [{ name: "a" }] } }),
    { spec: { containers: [{ name: "a" }] } },
  ],
  [
    "a kind that a definition made goes down whole",
    object("example.com/v1", "Widget", { spec: { clusterIP: "mine", replicas: 3 }, status: { replicas: 1 } }),
    { spec: { clusterIP: "mine", replicas: 3 } },
  ],
];

test.each(CASES)("%s", (_what, root, expected) => {
  const before = JSON.stringify(root);
  const { apiVersion, kind } = root;
  const metadata = { name: "a", namespace: "shop" };
  expect(manifestOf(root)).toEqual({ apiVersion, kind, metadata, ...expected });
  expect(JSON.stringify(root)).toBe(before);
});

test.each([
  ["apps/v1", "Deployment", undefined],
  ["apps/v1", "StatefulSet", undefined],
  ["apps/v1", "DaemonSet", 2],
])("under an autoscaler, replicas of a %s %s are %s", (apiVersion, kind, replicas) => {
  const { spec } = manifestOf(object(apiVersion, kind, { spec: { replicas: 2 } }), { isAutoscaled: true });
  expect(spec).toEqual(replicas === undefined ? {} : { replicas });
});
