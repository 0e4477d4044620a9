import type { KubernetesObject } from "../runtime";
import { dependenciesOf, serves } from "./dependencies";

const deployment = (
  podSpec: object,
  labels: Record<string, string> = { app: "web" },
): KubernetesObject & object =>
  object("apps/v1", "Deployment", { template: { metadata: { labels }, spec: podSpec } }, "web");

function object(apiVersion: string, kind: string, spec: object, name = "a", namespace = "shop") {
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

test("the pods of a workload name what they need, each once", () => {
  const found = dependenciesOf(
    deployment({
      serviceAccountName: "web",
      imagePullSecrets: [{ name: "pull" }],
      volumes: [
        { name: "a", configMap: { name: "files" } },
        { name: "b", secret: { secretName: "keys" } },
        { name: "c", persistentVolumeClaim: { claimName: "data" } },
        {
          name: "d",
          projected: { sources: [{ configMap: { name: "files" } }, { secret: { name: "more" } }] },
        },
        { name: "e", emptyDir: {} },
      ],
      initContainers: [
        { name: "i", env: [{ name: "X", valueFrom: { secretKeyRef: { name: "keys", key: "x" } } }] },
      ],
      containers: [
        {
          name: "c",
          envFrom: [{ configMapRef: { name: "settings" } }, { secretRef: { name: "keys" } }],
          env: [
            { name: "Y", value: "1" },
            { name: "Z", valueFrom: { configMapKeyRef: { name: "zed", key: "z" } } },
          ],
        },
      ],
    }),
  );
  expect(found.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "ServiceAccount web",
    "Secret pull",
    "ConfigMap files",
    "Secret keys",
    "PersistentVolumeClaim data",
    "Secret more",
    "ConfigMap settings",
    "ConfigMap zed",
  ]);
});

test.each([
  [deployment({ serviceAccountName: "default", containers: [] }), []],
  [object("apps/v1", "StatefulSet", { serviceName: "db", template: { spec: {} } }), ["Service db"]],
  [
    object("networking.k8s.io/v1", "Ingress", {
      tls: [{ secretName: "cert" }],
      defaultBackend: { service: { name: "fallback" } },
      rules: [{ http: { paths: [{ path: "/", backend: { service: { name: "web" } } }] } }],
    }),
    ["Secret cert", "Service fallback", "Service web"],
  ],
  [
    object("batch/v1", "CronJob", {
      jobTemplate: { spec: { template: { spec: { serviceAccountName: "nightly", containers: [] } } } },
    }),
    ["ServiceAccount nightly"],
  ],
  [
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "a" },
      imagePullSecrets: [{ name: "pull" }],
    },
    ["Secret pull"],
  ],
  [object("example.com/v1", "Widget", { template: { spec: { serviceAccountName: "x" } } }), []],
])("%j needs %j", (found, expected) => {
  expect(dependenciesOf(found).map(({ kind, name }) => `${kind} ${name}`)).toEqual(expected);
});

test.each([
  ["a Service that selects its pods", object("v1", "Service", { selector: { app: "web" } }), true],
  ["a Service that selects more", object("v1", "Service", { selector: { app: "web", tier: "x" } }), false],
  ["a Service without selector", object("v1", "Service", {}), false],
  [
    "a Service of another namespace",
    object("v1", "Service", { selector: { app: "web" } }, "a", "other"),
    false,
  ],
  [
    "its budget",
    object("policy/v1", "PodDisruptionBudget", { selector: { matchLabels: { app: "web" } } }),
    true,
  ],
  [
    "its autoscaler",
    object("autoscaling/v2", "HorizontalPodAutoscaler", {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    }),
    true,
  ],
  [
    "the autoscaler of a StatefulSet of the same name",
    object("autoscaling/v2", "HorizontalPodAutoscaler", {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" },
    }),
    false,
  ],
  ["a ConfigMap", object("v1", "ConfigMap", {}), false],
])("%s serves it: %#", (_what, candidate, expected) => {
  expect(serves(candidate, deployment({ containers: [] }))).toBe(expected);
});
