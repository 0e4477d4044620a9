// The kind Plugin: software that is installed in the cluster and kept there.
import { z } from "zod";
import { PLUGIN_INSTALLER, PLUGIN_NAMESPACE } from "./names";
import { attempt, jobs } from "./plugin-job";
import { pluginSource } from "./plugin-source";
import { commonStatus } from "./schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "./schema/kind";
import { listOf, mapOf } from "./schema/list";
import { referenceTo } from "./schema/reference";
import { withKeywords, withRule } from "./schema/rule";
import { dnsLabelName, recordedTimestamp, text, textLike } from "./schema/text";

const version = () =>
  textLike(
    64,
    "v?(?:0|[1-9][0-9]*)[.](?:0|[1-9][0-9]*)[.](?:0|[1-9][0-9]*)(?:-[0-9A-Za-z.-]+)?(?:[+][0-9A-Za-z.-]+)?",
    "the version must be X.Y.Z or vX.Y.Z, as semantic versions are",
  );

const valueKey = /^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/;
const values = withRule(withKeywords(z.record(z.string(), z.string().max(4096)), { maxProperties: 64 }), {
  cel: `self.all(k, k.matches(r"${valueKey.source}"))`,
  holds: (found) => Object.keys(found).every((key) => valueKey.test(key)),
  message: `every key of values must begin with a letter or "_" and consist of at most 63 letters, digits, "_", "." and "-"`,
});

const valuesFrom = withRule(
  z.strictObject({
    configMapRef: referenceTo("ConfigMap", PLUGIN_NAMESPACE)
      .optional()
      .describe("A ConfigMap whose data are values."),
    secretRef: referenceTo("Secret", PLUGIN_NAMESPACE).optional().describe("A Secret whose data are values."),
  }),
  {
    cel: "has(self.configMapRef) != has(self.secretRef)",
    holds: ({ configMapRef, secretRef }) => (configMapRef === undefined) !== (secretRef === undefined),
    message: "an entry of valuesFrom must have exactly one of configMapRef and secretRef: make two entries",
  },
);

const spec = withRule(
  z.strictObject({
    type: dnsLabelName("the type").describe(
      "What the plugin is for, such as `metrics`, `logs`, `cni` or `csi`.",
    ),
    version: version().describe("The version of what `source` holds; changing it is an upgrade."),
    source: pluginSource.describe("Where the manifests come from: exactly one of its fields."),
    namespace: dnsLabelName("the namespace")
      .default(PLUGIN_NAMESPACE)
      .describe("Where manifests go that name no namespace, and where the jobs run."),
    serviceAccountName: dnsLabelName("the service account's name")
      .default(PLUGIN_INSTALLER)
      .describe(
        "The service account in the product's namespace with whose rights everything is read, installed and removed.",
      ),
    values: values
      .optional()
      .describe(
        "Values for the places `${key}` in the texts of the manifests; `${key:int}` and `${key:bool}` become a number and true or false, and `$${` stands for `${`.",
      ),
    valuesFrom: listOf(valuesFrom, 16)
      .default([])
      .describe("More values, from other objects; later entries win, and `values` wins over all of them."),
    jobs: z
      .strictObject({
        before: jobs().default([]).describe("Jobs that run before the manifests are applied."),
        after: jobs().default([]).describe("Jobs that run after they were applied."),
        attempt: attempt()
          .default(1)
          .describe("Each job runs once for each version. Raise this to run them again for the same one."),
      })
      .prefault({})
      .describe("Jobs around each install and upgrade."),
    rollbackTo: version()
      .optional()
      .describe("An earlier version from the history to go back to. Remove it to go forward again."),
    historyLimit: z
      .int()
      .min(1)
      .max(50)
      .default(10)
      .describe("How many earlier versions are kept for a rollback."),
    deletionPolicy: z
      .enum(["Delete", "Orphan"])
      .default("Delete")
      .describe("Whether what the plugin installed goes with it or stays."),
    paused: z.boolean().default(false).describe("While true, nothing is applied, pruned or healed."),
  }),
  {
    cel: "!has(self.rollbackTo) || self.rollbackTo != self.version",
    holds: ({ rollbackTo, version: current }) => rollbackTo !== current,
    message: "rollbackTo must be an earlier version than the one in version: remove it or name another",
    field: "rollbackTo",
  },
);

const revision = z.strictObject({
  revision: z.int().min(1).describe("Counts up with every change that was applied."),
  version: text(64).describe("The version."),
  digest: text(71).describe("The SHA-256 of the manifests as they were applied."),
  appliedAt: recordedTimestamp().describe("When."),
  outcome: z.enum(["InProgress", "Succeeded", "Failed"]).describe("How it went."),
});

const job = z.strictObject({
  name: text(40).describe("The job's name in the spec."),
  when: z.enum(["Before", "After"]).describe("Whether it runs before or after the manifests are applied."),
  version: text(64).describe("The version that it ran for."),
  attempt: attempt().describe("Which attempt it was."),
  job: text(127).describe("The Job in the cluster, as namespace/name."),
  outcome: z.enum(["Running", "Succeeded", "Failed"]).describe("How it went."),
  startedAt: recordedTimestamp().describe("When it was made."),
  completedAt: recordedTimestamp().optional().describe("When it ended."),
  message: text(512, 0).optional().describe("Why it failed."),
});

const installed = z.strictObject({
  apiVersion: text(317).describe("Its API version."),
  kind: text(63).describe("Its kind."),
  namespace: text(63).optional().describe("Its namespace, if it is in one."),
  name: text(253).describe("Its name."),
  health: z
    .enum(["Healthy", "Progressing", "Unhealthy", "Missing", "Unknown"])
    .optional()
    .describe("How it is."),
  message: text(512, 0).optional().describe("Why it is not healthy."),
});

/** The kind `Plugin`: software that is installed in the cluster. */
export const plugin = defineKind({
  kind: "Plugin",
  plural: "plugins",
  shortNames: ["fwplug"],
  summary: "Software that is installed in the cluster, upgraded, rolled back and removed as one.",
  details: [
    "The coordinator applies the manifests in a safe order, watches the health of what it installed, removes what a new version no longer has, and can go back to an earlier version.",
    "Only what the Plugin itself installed is ever changed or removed; what was installed stands in status.",
    "Everything is done with the rights of `spec.serviceAccountName`, never with the coordinator's own: a Plugin can do no more than that account, and one that needs more says in status which right is missing.",
  ],
  spec,
  status: z.strictObject({
    ...commonStatus(),
    phase: z
      .enum(["Pending", "Installing", "Upgrading", "RollingBack", "Installed", "Failed", "Removing"])
      .optional()
      .describe("How far it is."),
    version: text(64).optional().describe("The version that is installed."),
    revision: z.int().min(0).optional().describe("The revision that is installed."),
    ready: z.int().min(0).optional().describe("How many of its objects are healthy."),
    total: z.int().min(0).optional().describe("How many objects it has."),
    history: mapOf(revision, "revision", 50).optional().describe("What was applied before."),
    jobs: listOf(job, 32).optional().describe("The jobs of the version that is installed or under way."),
    inventory: listOf(installed, 2000).optional().describe("Every object that it installed."),
  }),
  columns: [
    { name: "Type", type: "string", jsonPath: ".spec.type", description: "What it is for." },
    {
      name: "Version",
      type: "string",
      jsonPath: ".spec.version",
      description: "The version that is wanted.",
    },
    {
      name: "Installed",
      type: "string",
      jsonPath: ".status.version",
      description: "The version that is there.",
    },
    { name: "Phase", type: "string", jsonPath: ".status.phase", description: "How far it is." },
    {
      name: "Ready",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Ready')].status",
      description: "Whether all that it installed is healthy.",
    },
    { name: "Objects", type: "integer", jsonPath: ".status.total", description: "Its objects.", wide: true },
    {
      name: "Revision",
      type: "integer",
      jsonPath: ".status.revision",
      description: "Its revision.",
      wide: true,
    },
  ],
  example: {
    metadata: { name: "greeting" },
    spec: {
      type: "sample",
      version: "1.0.0",
      source: {
        inline: [
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "greeting" },
            data: { text: "Hello from ${place}" },
          },
        ],
      },
      values: { place: "Fleetwright" },
      jobs: {
        before: [{ name: "check", image: "registry.example.com/tools/check:1.4.2", args: ["--strict"] }],
      },
    },
  },
});

/** Software that is installed in the cluster. */
export type Plugin = ObjectOf<typeof plugin>;
/** The spec of a {@link Plugin} as it is written. */
export type PluginSpecInput = SpecInputOf<typeof plugin>;
