import { healthOf } from "./health";

const object = (apiVersion: string, kind: string, spec: object, status: object, generation = 1) => ({
  apiVersion,
  kind,
  metadata: { name: "a", generation },
  spec,
  status,
});
const condition = (type: string, status: string, message = "why"): object => ({
  conditions: [{ type, status, reason: "Because", message }],
});
const seen = { observedGeneration: 1 };
const full = { ...seen, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };

const CASES: readonly (readonly [what: string, live: object, health: string, message?: string])[] = [
  ["a Deployment", object("apps/v1", "Deployment", { replicas: 2 }, full), "Healthy"],
  [
    "one that nobody has seen",
    object("apps/v1", "Deployment", { replicas: 2 }, full, 2),
    "Progressing",
    "not seen the newest",
  ],
  [
    "one that rolls out",
    object("apps/v1", "Deployment", { replicas: 2 }, { ...full, updatedReplicas: 1 }),
    "Progressing",
    "1 of 2 replicas are of",
  ],
  [
    "one with old replicas",
    object("apps/v1", "Deployment", { replicas: 2 }, { ...full, replicas: 3 }),
    "Progressing",
    "earlier version",
  ],
  [
    "one that starts",
    object("apps/v1", "Deployment", {}, { ...full, replicas: 1, updatedReplicas: 1, availableReplicas: 0 }),
    "Progressing",
    "0 of 1 replicas are available",
  ],
  [
    "one that is stuck",
    object("apps/v1", "Deployment", { replicas: 2 }, { ...seen, ...condition("Progressing", "False") }),
    "Unhealthy",
    "Because: why",
  ],
  ["one of no replicas", object("apps/v1", "Deployment", { replicas: 0 }, seen), "Healthy"],
  [
    "a DaemonSet",
    object(
      "apps/v1",
      "DaemonSet",
      {},
      { ...seen, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 },
    ),
    "Healthy",
  ],
  [
    "one on half of the nodes",
    object(
      "apps/v1",
      "DaemonSet",
      {},
      { ...seen, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 },
    ),
    "Progressing",
    "1 of 2 nodes",
  ],
  [
    "a StatefulSet",
    object(
      "apps/v1",
      "StatefulSet",
      { replicas: 1 },
      { ...seen, readyReplicas: 1, currentRevision: "a", updateRevision: "a" },
    ),
    "Healthy",
  ],
  [
    "one that rolls out",
    object(
      "apps/v1",
      "StatefulSet",
      { replicas: 1 },
      { ...seen, readyReplicas: 1, currentRevision: "a", updateRevision: "b" },
    ),
    "Progressing",
    "earlier version",
  ],
  ["a Job that ended", object("batch/v1", "Job", {}, condition("Complete", "True")), "Healthy"],
  [
    "a Job that failed",
    object("batch/v1", "Job", {}, condition("Failed", "True")),
    "Unhealthy",
    "Because: why",
  ],
  ["a Job that runs", object("batch/v1", "Job", {}, {}), "Progressing", "not ended"],
  [
    "a definition",
    object("apiextensions.k8s.io/v1", "CustomResourceDefinition", {}, condition("Established", "True")),
    "Healthy",
  ],
  [
    "one whose names are taken",
    object("apiextensions.k8s.io/v1", "CustomResourceDefinition", {}, condition("NamesAccepted", "False")),
    "Unhealthy",
    "Because: why",
  ],
  ["a bound claim", object("v1", "PersistentVolumeClaim", {}, { phase: "Bound" }), "Healthy"],
  [
    "a waiting claim",
    object("v1", "PersistentVolumeClaim", {}, { phase: "Pending" }),
    "Progressing",
    "not bound",
  ],
  ["a lost claim", object("v1", "PersistentVolumeClaim", {}, { phase: "Lost" }), "Unhealthy", "lost"],
  [
    "an API that answers",
    object("apiregistration.k8s.io/v1", "APIService", {}, condition("Available", "True")),
    "Healthy",
  ],
  [
    "an API that does not",
    object("apiregistration.k8s.io/v1", "APIService", {}, condition("Available", "False")),
    "Unhealthy",
    "Because: why",
  ],
  [
    "a load balancer to come",
    object("v1", "Service", { type: "LoadBalancer" }, {}),
    "Progressing",
    "no load balancer",
  ],
  ["a Service", object("v1", "Service", { type: "ClusterIP" }, {}), "Healthy"],
  [
    "a namespace that goes",
    object("v1", "Namespace", {}, { phase: "Terminating" }),
    "Unhealthy",
    "being deleted",
  ],
  [
    "another kind that is not ready",
    object("example.com/v1", "Thing", {}, condition("Ready", "False")),
    "Progressing",
    "Because: why",
  ],
  ["another kind that says nothing", object("example.com/v1", "Thing", {}, {}), "Healthy"],
];

test.each(CASES.map(([what, live, health, message = ""]) => [what, live, health, message] as const))(
  "%s",
  (_what, live, health, message) => {
    const found = healthOf(live as Parameters<typeof healthOf>[0]);
    expect(found.health).toBe(health);
    expect(found.message ?? "").toContain(message);
  },
);
