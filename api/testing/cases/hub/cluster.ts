// Test cases: valid and malformed Clusters.
import { bad, type Cases } from "../case";

const pull = { mode: "pull" };
const managed = { environment: "staging", config: { nodePools: [{ name: "a" }] } };
const mode = (it: string, value: unknown, says: string, field = "spec.connection.mode") =>
  bad(it, "spec.connection", value, says, field);
const taint = (it: string, change: object, says: string, field: string) =>
  bad(
    `a taint with ${it}`,
    "spec.taints",
    [{ key: "a", effect: "NoSchedule", ...change }],
    says,
    `spec.taints[0].${field}`,
  );
const kinds = (it: string, value: string) =>
  bad(`imports: ${it}`, "spec.imports", [value], "what is imported must be a kind", "spec.imports[0]");

/** What both validators must say of Clusters. */
export const clusterCases: Cases = {
  base: {
    connection: { mode: "push", secretRef: { name: "east" } },
    accepted: true,
    topology: { provider: "aws", region: "eu-west-1", zone: "a" },
    taints: [{ key: "tier", value: "production", effect: "NoSchedule" }],
    imports: ["deployments.apps", "services.core", "*.cert-manager.io", "*"],
  },
  valid: [
    ["a mode alone", { connection: pull }],
    ["a syncer that a person starts", { connection: { mode: "none" } }],
    ["a taint without a value", { connection: pull, taints: [{ key: "a.b/c", effect: "NoExecute" }] }],
    ["nothing to import", { connection: pull, imports: [] }],
    ["a cluster that the service builds", { connection: { mode: "none" }, managed }],
    [
      "a cluster that the service is to destroy",
      {
        connection: pull,
        onRemove: "Delete",
        managed: { ...managed, protect: false, deletion: { by: "jane", confirm: "east" } },
      },
    ],
  ],
  malformed: [
    bad("no spec", "spec", undefined, "Required value"),
    bad("an unknown field", "spec.kubeconfig", "apiVersion: v1", "unknown field"),
    bad("a name with a dot", "metadata.name", "east.one", "a cluster's name must be a DNS label"),
    bad("a name whose namespace has none", "metadata.name", "a".repeat(56), "Too long"),
    bad("no connection", "spec.connection", undefined, "Required value"),
    mode("no mode", {}, "Required value"),
    mode("an unknown mode", { mode: "Push" }, "supported values"),
    mode("push without a Secret", { mode: "push" }, "secretRef must name", "spec.connection.secretRef"),
    mode(
      "pull with a Secret",
      { ...pull, secretRef: { name: "a" } },
      "only allowed in the mode push",
      "spec.connection.secretRef",
    ),
    mode(
      "none with a Secret",
      { mode: "none", secretRef: { name: "a" } },
      "only allowed in the mode push",
      "spec.connection.secretRef",
    ),
    mode(
      "a Secret without a name",
      { mode: "push", secretRef: {} },
      "Required value",
      "spec.connection.secretRef.name",
    ),
    mode(
      "a kubeconfig in the spec",
      { ...pull, kubeconfig: "apiVersion: v1" },
      "unknown field",
      "spec.connection.kubeconfig",
    ),
    bad("accepted as text", "spec.accepted", "yes", "must be of type boolean"),
    bad("a region that is no label's value", "spec.topology.region", "eu west", "the label's value must"),
    bad("a zone that is too long", "spec.topology.zone", "a".repeat(64), "Too long"),
    bad("an unknown part of the topology", "spec.topology.room", "r1", "unknown field"),
    taint("no key", { key: undefined }, "Required value", "key"),
    taint("a key that is none", { key: "a b" }, "the key must be a label key", "key"),
    taint("a value that is none", { value: "a b" }, "the label's value must", "value"),
    taint("no effect", { effect: undefined }, "Required value", "effect"),
    taint("an unknown effect", { effect: "Evict" }, "supported values", "effect"),
    taint("a time", { timeAdded: "2030-01-01T00:00:00Z" }, "unknown field", "timeAdded"),
    bad(
      "33 taints",
      "spec.taints",
      Array.from({ length: 33 }, (_, index) => ({ key: `a${index}`, effect: "NoSchedule" })),
      "must have at most 32 items",
    ),
    bad("unschedulable as a number", "spec.unschedulable", 1, "must be of type boolean"),
    bad("drain as an object", "spec.drain", {}, "must be of type boolean"),
    kinds("a kind without its group", "deployments"),
    kinds("a kind in CamelCase", "Deployment.apps"),
    kinds("two stars", "*.*"),
    kinds("a slash", "apps/deployments"),
    kinds("a dot at the end", "deployments.apps."),
    bad("imports: nothing", "spec.imports", [""], "at least 1 chars", "spec.imports[0]"),
    bad("imports: one twice", "spec.imports", ["*", "*"], "Duplicate value", "spec.imports[1]"),
    bad("onRemove: unknown", "spec.onRemove", "Destroy", "supported values"),
    bad("managed without an environment", "spec.managed", {}, "Required value", "spec.managed.environment"),
    bad(
      "managed: an environment that is none",
      "spec.managed",
      { environment: "Staging" },
      "must be a DNS label",
      "spec.managed.environment",
    ),
    bad(
      "managed: settings as text",
      "spec.managed",
      { environment: "a", config: "nodePools: []" },
      "must be of type object",
      "spec.managed.config",
    ),
    bad(
      "managed: a deletion by nobody",
      "spec.managed",
      { environment: "a", deletion: { confirm: "east" } },
      "Required value",
      "spec.managed.deletion.by",
    ),
    bad(
      "managed: a deletion that is not confirmed",
      "spec.managed",
      { environment: "a", deletion: { by: "jane" } },
      "Required value",
      "spec.managed.deletion.confirm",
    ),
  ],
};
