import { isUpToDate } from "./managed-fields";
import type { FieldSet, KubernetesObject } from "./object";

const OWNED: FieldSet = {
  "f:metadata": { "f:labels": { "f:app": {} }, "f:finalizers": { 'v:"a"': {} } },
  "f:spec": {
    "f:replicas": {},
    "f:containers": { 'k:{"name":"x"}': { ".": {}, "f:name": {}, "f:image": {} } },
  },
};

function live(change: (object: Record<string, unknown>) => void = () => {}): KubernetesObject {
  const object = {
    metadata: {
      name: "o",
      labels: { app: "a", theirs: "b" },
      finalizers: ["b", "a"],
      managedFields: [{ manager: "us", operation: "Apply", fieldsV1: OWNED }],
    },
    spec: {
      replicas: 2,
      defaulted: true,
      containers: [{ name: "y" }, { name: "x", image: "i", pullPolicy: "Always" }],
    },
  };
  change(object);
  return object;
}

const desired = {
  metadata: { name: "o", labels: { app: "a" }, finalizers: ["a"] },
  spec: { replicas: 2, containers: [{ name: "x", image: "i" }] },
};

test("nothing is to be done when exactly our fields have our values, whatever others added", () => {
  expect(isUpToDate(desired, live(), "us")).toBe(true);
});

test.each<[string, unknown]>([
  ["a value differs", { ...desired, spec: { ...desired.spec, replicas: 3 } }],
  ["a field is new", { ...desired, spec: { ...desired.spec, paused: true } }],
  ["a field is no longer wanted", { ...desired, spec: { containers: desired.spec.containers } }],
  ["an item differs", { ...desired, spec: { replicas: 2, containers: [{ name: "x", image: "j" }] } }],
  ["an item is another one", { ...desired, spec: { replicas: 2, containers: [{ name: "z", image: "i" }] } }],
  ["all metadata is no longer wanted", { ...desired, metadata: { name: "o" } }],
])("there is something to do when %s", (_what, wanted) => {
  expect(isUpToDate(wanted as KubernetesObject, live(), "us")).toBe(false);
});

test("there is something to do when somebody changed a value, or when we own nothing yet", () => {
  expect(
    isUpToDate(
      desired,
      live((object) => (object.spec = { replicas: 9 })),
      "us",
    ),
  ).toBe(false);
  expect(isUpToDate(desired, live(), "them")).toBe(false);
});
