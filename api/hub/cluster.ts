// The kind Cluster: one record of a cluster, whoever built it.
import { z } from "zod";
import { commonStatus } from "../schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "../schema/kind";
import { listOf, mapOf, setOf } from "../schema/list";
import { referenceTo } from "../schema/reference";
import { withKeywords, withRule } from "../schema/rule";
import { dnsLabelName, LABEL_KEY, labelValue, recordedTimestamp, text, textLike } from "../schema/text";
import { HUB_PLURALS } from "./names";
import { clusterNameRule } from "./resource";

const connection = [
  {
    cel: `self.mode != "push" || has(self.secretRef)`,
    holds: ({ mode, secretRef }: { mode: string; secretRef?: unknown }) =>
      mode !== "push" || secretRef !== undefined,
    message:
      "secretRef must name the Secret with the cluster's kubeconfig in the mode push: add secretRef.name",
    field: "secretRef",
  },
  {
    cel: `self.mode == "push" || !has(self.secretRef)`,
    holds: ({ mode, secretRef }: { mode: string; secretRef?: unknown }) =>
      mode === "push" || secretRef === undefined,
    message:
      "secretRef is only allowed in the mode push, because in the others the hub does not call the cluster: remove it",
    field: "secretRef",
  },
].reduce(
  (schema, rule) => withRule(schema, rule),
  z.strictObject({
    mode: z
      .enum(["push", "pull", "none"])
      .describe(
        "push: the hub calls the cluster; pull: a syncer in the cluster calls the hub; none: a person starts the syncer.",
      ),
    secretRef: referenceTo("Secret")
      .optional()
      .describe(
        "The Secret whose key `kubeconfig` holds the credentials for the cluster; for the mode push alone.",
      ),
  }),
);

const taint = z.strictObject({
  key: textLike(
    317,
    LABEL_KEY,
    `the key must be a label key: an optional DNS prefix and "/", then at most 63 letters, digits, "-", "_" and "."`,
  ).describe("The taint's key."),
  value: labelValue().default("").describe("The taint's value."),
  effect: z
    .enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])
    .describe("What it does with what does not tolerate it: place nothing new, rather not, or move it away."),
});

const place = (what: string) =>
  labelValue().optional().describe(`The ${what}, as placement may ask for it: a label's value.`);

// The settings are checked by the service, which knows their shape; the hub keeps them.
const settings = withKeywords(z.looseObject({}), {
  "x-kubernetes-preserve-unknown-fields": true,
});

const managed = z.strictObject({
  environment: dnsLabelName("the environment's name").describe("The environment that it is built in."),
  config: settings
    .prefault({})
    .describe(
      "The settings of the cluster and of its add-ons, as in the file of a stack; secrets by reference.",
    ),
  protect: z.boolean().default(true).describe("While true, it is not destroyed."),
  paused: z.boolean().default(false).describe("While true, the service does nothing to it."),
  deletion: z
    .strictObject({
      by: text(253).describe("Who asked for it."),
      confirm: text(63).describe("The cluster's name once more."),
    })
    .optional()
    .describe("That the cluster is to be destroyed."),
});

/** The kind `Cluster`: a cluster of the fleet. */
export const cluster = defineKind({
  kind: "Cluster",
  plural: HUB_PLURALS.Cluster,
  shortNames: ["fwcluster"],
  nameRule: clusterNameRule,
  summary: "A cluster of the fleet, whoever built it.",
  details: [
    "A stack registers what it built, and `npm run hub -- register` any other. Nothing goes to a cluster before `accepted` is true.",
    "With `managed` the service builds and destroys it; without, nobody but its owner does. Deleting this object, its namespace or the definition never destroys a machine: `onRemove` says what happens to the objects that the hub placed there.",
  ],
  spec: z.strictObject({
    connection: connection.describe("How hub and cluster reach each other."),
    accepted: z
      .boolean()
      .default(false)
      .describe("Whether the cluster belongs to the fleet. An administrator of the hub says so."),
    topology: z
      .strictObject({
        provider: place("provider"),
        region: place("region"),
        zone: place("zone"),
      })
      .prefault({})
      .describe("Where it is."),
    taints: listOf(taint, 32).default([]).describe("What placement keeps away from it."),
    unschedulable: z.boolean().default(false).describe("While true, nothing new is placed there."),
    drain: z.boolean().default(false).describe("While true, what runs there is moved away."),
    imports: setOf(
      textLike(
        317,
        "[*]|(?:[*]|[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)[.][a-z0-9](?:[-a-z0-9.]*[a-z0-9])?",
        `what is imported must be a kind as resource.group, such as deployments.apps or services.core, all of a group as *.cert-manager.io, or "*"`,
      ),
      256,
    )
      .default(["*"])
      .describe(
        "The kinds that the hub imports from it: `resource.group`, `*.group`, or `*` for every kind that is defined by a CustomResourceDefinition.",
      ),
    onRemove: z
      .enum(["Delete", "Orphan"])
      .default("Orphan")
      .describe("What happens to the objects that the hub placed there when this object is deleted."),
    managed: managed.optional().describe("What the service builds. Without it, somebody else did."),
  }),
  status: z.strictObject({
    ...commonStatus(),
    version: text(64).optional().describe("The version of Kubernetes."),
    uid: text(64).optional().describe("The UID of its namespace kube-system, by which it is known again."),
    endpoint: text(2048).optional().describe("The address of its API server, as the hub knows it."),
    nodes: z
      .strictObject({
        ready: z.int().min(0).describe("Nodes that are Ready."),
        total: z.int().min(0).describe("Nodes."),
      })
      .optional()
      .describe("Its nodes."),
    capacity: z
      .record(z.string(), text(64))
      .optional()
      .describe("What its nodes have in all, such as `cpu`, `memory` and `pods`."),
    allocatable: z.record(z.string(), text(64)).optional().describe("What of it pods may ask for."),
    lastHeartbeat: recordedTimestamp()
      .optional()
      .describe("When its condition Ready was last decided by a heartbeat; the Lease has each of them."),
    synced: listOf(text(317), 2000)
      .optional()
      .describe("The kinds that are kept in step, as `resource.version.group`."),
    shares: z
      .strictObject({
        applied: z.int().min(0).describe("Shares that the cluster has."),
        total: z.int().min(0).describe("Shares."),
      })
      .optional()
      .describe("Its Shares."),
    certificateExpires: recordedTimestamp().optional().describe("When the syncer's certificate ends."),
    imports: mapOf(
      z.strictObject({
        group: text(253, 0).describe("The API group."),
        hash: text(128).describe("What the cluster's index said of it."),
      }),
      "group",
      500,
    )
      .optional()
      .describe("What was imported last, so that only what changed is read again."),
  }),
  changes: [
    {
      cel: "has(self.managed) == has(oldSelf.managed)",
      holds: (after, before) => (after.managed === undefined) === (before.managed === undefined),
      message:
        "managed cannot be added or taken away by an edit, because the cluster's state has to go over with it",
      field: "managed",
    },
  ],
  columns: [
    {
      name: "Mode",
      type: "string",
      jsonPath: ".spec.connection.mode",
      description: "How hub and cluster reach each other.",
    },
    {
      name: "Accepted",
      type: "boolean",
      jsonPath: ".spec.accepted",
      description: "Whether it belongs to the fleet.",
    },
    {
      name: "Ready",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Ready')].status",
      description: "Whether work can be placed there.",
    },
    {
      name: "Reason",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
      description: "Why it is ready or not.",
    },
    { name: "Version", type: "string", jsonPath: ".status.version", description: "Its Kubernetes." },
    { name: "Nodes", type: "integer", jsonPath: ".status.nodes.ready", description: "Nodes that are Ready." },
    {
      name: "Region",
      type: "string",
      jsonPath: ".spec.topology.region",
      description: "Where it is.",
      wide: true,
    },
    {
      name: "APIs",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='APIsCompatible')].status",
      description: "Whether every published kind fits it.",
      wide: true,
    },
    {
      name: "Unschedulable",
      type: "boolean",
      jsonPath: ".spec.unschedulable",
      description: "Whether nothing new is placed there.",
      wide: true,
    },
  ],
  example: {
    metadata: { name: "east" },
    spec: {
      connection: { mode: "push", secretRef: { name: "cluster-east" } },
      accepted: true,
      topology: { provider: "aws", region: "eu-west-1" },
      taints: [{ key: "tier", value: "production", effect: "NoSchedule" }],
      imports: ["deployments.apps", "services.core", "*.cert-manager.io"],
    },
  },
});

/** A cluster of the fleet. */
export type Cluster = ObjectOf<typeof cluster>;
/** The spec of a {@link Cluster} as it is written. */
export type ClusterSpecInput = SpecInputOf<typeof cluster>;
