import type { FieldSet, KubernetesObject } from "../runtime";
import { droppedFields, hasField, missingPaths } from "./owned-fields";

const FIELDS: FieldSet = {
  "f:metadata": { "f:labels": { "f:app": {} } },
  "f:spec": {
    "f:replicas": {},
    "f:selector": {},
    "f:template": {
      "f:spec": {
        "f:containers": {
          'k:{"name":"web"}': {
            ".": {},
            "f:name": {},
            "f:image": {},
            "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
          },
        },
      },
    },
  },
};
const container = (fields: object = {}): object => ({
  name: "web",
  image: "a:1",
  ports: [{ containerPort: 80 }],
  ...fields,
});
const manifest = (
  spec: object = {},
  containers: object[] = [container()],
): KubernetesObject & { spec: object } => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", labels: { app: "web" } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { spec: { containers } },
    ...spec,
  },
});

test.each([
  ["all", manifest(), FIELDS, []],
  ["nothing", manifest(), undefined, ["(all)"]],
  ["all but a field", manifest({ paused: true }), FIELDS, ["spec.paused"]],
  [
    "all but a container",
    manifest({}, [container(), { name: "two", image: "b:1" }]),
    FIELDS,
    ['spec.template.spec.containers[name="two"]'],
  ],
  [
    "all but the image of one",
    manifest({}, [container({ tty: true })]),
    FIELDS,
    ['spec.template.spec.containers[name="web"].tty'],
  ],
])("who owns %s lacks the rest", (_what, wanted, fields, expected) => {
  expect(missingPaths(wanted, fields)).toEqual(expected);
});

test.each([
  ["nothing", manifest({ status: undefined }), []],
  ["what it adds itself", manifest({ strategy: { type: "RollingUpdate" } }), []],
  ["a sidecar that a webhook adds", manifest({}, [container(), { name: "proxy" }]), []],
  ["a field that goes", manifest({ replicas: undefined }), ["spec.replicas: was dropped"]],
  ["another value", manifest({ replicas: 5 }), ["spec.replicas: was changed from 2 to 5"]],
  [
    "an image that a webhook changes",
    manifest({}, [container({ image: "mirror/a:1" })]),
    ['spec.template.spec.containers[name="web"].image: was changed from "a:1" to "mirror/a:1"'],
  ],
  ["a container that goes", manifest({}, []), ['spec.template.spec.containers[name="web"]: was dropped']],
])("of %s in the answer the loss is reported", (_what, answer, expected) => {
  expect(droppedFields(manifest(), answer, FIELDS)).toEqual(expected);
});

test.each([
  [{ cpu: "1000m", memory: "1073741824" }, { cpu: "1", memory: "1Gi" }, []],
  [{ cpu: "500m" }, { cpu: "1" }, ['limits.cpu: was changed from "500m" to "1"']],
  [{ host: false, list: [], text: "" }, {}, []],
  [{ names: ["a", "b"] }, { names: ["a", "b", "c"] }, []],
  [{ names: ["a", "b"] }, { names: ["a", "c", "d"] }, ["limits.names: was changed"]],
])("%j kept as %j", (sent, kept, expected) => {
  const meta = { metadata: { name: "a" } };
  expect(
    droppedFields({ ...meta, limits: sent }, { ...meta, limits: kept } as KubernetesObject, undefined),
  ).toEqual(expected);
});

test.each([
  [".spec.replicas", true],
  [".spec.selector.matchLabels.app", true],
  ['.spec.template.spec.containers[name="web"].image', true],
  ['.spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"].containerPort', true],
  [".spec.paused", false],
  ['.spec.template.spec.containers[name="two"].image', false],
  [".data.a", false],
])("the set has %s: %s", (path, expected) => {
  expect(hasField(FIELDS, path)).toBe(expected);
});
