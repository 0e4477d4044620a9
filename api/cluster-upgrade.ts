// The kind ClusterUpgrade: brings nodes to another version of Kubernetes.
import { z } from "zod";
import { commonStatus } from "./schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf, type StatusOf } from "./schema/kind";
import { listOf, mapOf, setOf } from "./schema/list";
import { withRule } from "./schema/rule";
import { labelSelector } from "./schema/selector";
import { INSTALLER_STATES, MAX_FAILED, MAX_MESSAGE, MAX_OUTPUT } from "./upgrade-report";
import { digest, dnsLabelName, downloadUrl, recordedTimestamp, text, textLike } from "./schema/text";

/** Checks before an upgrade begins. */
const PREFLIGHT_CHECKS = [
  "NodeHealth",
  "VersionSkew",
  "EtcdSnapshot",
  "PodDisruptionBudgets",
  "BlockingPods",
  "Agents",
  "StackVersion",
] as const;

const drainRule = withRule(
  z.strictObject({
    name: dnsLabelName("the rule's name").describe("The rule's name."),
    podSelector: labelSelector().prefault({}).describe("The pods that the rule is about; `{}` is all."),
    namespaceSelector: labelSelector().prefault({}).describe("The namespaces of these pods; `{}` is all."),
    behavior: z
      .enum(["Drain", "Skip", "WaitCompleted"])
      .default("Drain")
      .describe("Evict the pods, leave them where they are, or wait until they have finished by themselves."),
    order: z
      .int()
      .min(-1000)
      .max(1000)
      .optional()
      .describe("Pods of a lower order are evicted first; pods without a rule have order 0."),
  }),
  {
    cel: `!has(self.order) || self.behavior == "Drain"`,
    holds: ({ order, behavior }) => order === undefined || behavior === "Drain",
    message: "order is only allowed with the behavior Drain: remove it, because other pods are not evicted",
    field: "order",
  },
);

const drain = z.strictObject({
  timeoutSeconds: z.int().min(1).max(86400).default(600).describe("How long emptying one node may take."),
  graceSeconds: z
    .int()
    .min(0)
    .max(3600)
    .optional()
    .describe("The time pods get to end, instead of their own."),
  onTimeout: z
    .enum(["Fail", "Proceed"])
    .default("Fail")
    .describe("What to do if the node is not empty by then: give up on it, or upgrade it all the same."),
  deleteEmptyDirData: z
    .boolean()
    .default(true)
    .describe(
      "Whether pods with `emptyDir` volumes may be evicted. Such data goes with its pod whenever that is moved; with `false`, preflight names the pods that have some.",
    ),
  evictUnmanaged: z
    .boolean()
    .default(false)
    .describe("Whether pods may be evicted that nothing will make again."),
  rules: mapOf(drainRule, "name", 32)
    .default([])
    .describe("What to do with which pods; of several rules that fit a pod the first in the list holds."),
});

const versionForm =
  "v(?:0|[1-9][0-9]*)[.](?:0|[1-9][0-9]*)[.](?:0|[1-9][0-9]*)(?:-[0-9A-Za-z.-]+)?(?:[+]rke2r[1-9][0-9]*)?";

const plain = z.strictObject({
  version: textLike(
    64,
    versionForm,
    "the version must be vX.Y.Z, with -rc.N and +rke2rN if wanted, such as v1.35.4+rke2r1",
  ).describe("The version to reach. It cannot be changed: make a new ClusterUpgrade instead."),
  nodeSelector: labelSelector()
    .prefault({})
    .describe("The nodes to upgrade; `{}` is all. The control plane always comes first."),
  installer: z
    .strictObject({
      url: downloadUrl().describe("Where the agent gets the installer."),
      digest: digest().describe("The SHA-256 of the installer; a file with another is never run."),
      args: listOf(
        textLike(1024, "[^\\x00-\\x1f\\x7f]+", "an argument must not hold control characters: remove them"),
        32,
      )
        .default([])
        .describe("Arguments for it, given as they are and not through a shell."),
    })
    .optional()
    .describe(
      "The program that upgrades a node. Without it, the version must be one of RKE2, which is then installed.",
    ),
  digest: digest()
    .optional()
    .describe(
      "The SHA-256 of RKE2's own tarball for the version, `rke2.linux-amd64.tar.gz`; one with another is never installed. Needed without an installer.",
    ),
  maxUnavailable: z
    .int()
    .min(1)
    .max(50)
    .default(1)
    .describe("How many workers may be upgraded at once. Of the control plane it is always one."),
  nodeTimeoutSeconds: z
    .int()
    .min(60)
    .max(86400)
    .default(1800)
    .describe("How long one node may take, from cordon to uncordon."),
  onFailure: z
    .enum(["Stop", "Continue"])
    .default("Stop")
    .describe(
      `What to do when a node fails: begin no other, or go on with the next. It ends as failed all the same after ${MAX_FAILED} failures, and when failed nodes that are not Ready use up maxUnavailable.`,
    ),
  paused: z.boolean().default(false).describe("While true, no further node is begun."),
  aborted: z
    .boolean()
    .default(false)
    .describe("Ends the upgrade after the nodes in work have been brought back. It cannot be taken back."),
  drain: drain.prefault({}).describe("How nodes are emptied before they are upgraded."),
  preflight: z
    .strictObject({
      skip: setOf(z.enum(PREFLIGHT_CHECKS), PREFLIGHT_CHECKS.length)
        .default([])
        .describe("Checks that are left out, at your own risk."),
      etcdSnapshotMaxAgeSeconds: z
        .int()
        .min(60)
        .max(604800)
        .default(86400)
        .describe("How old the newest snapshot of etcd may be."),
    })
    .prefault({})
    .describe("What is checked before the first node is begun."),
});

const spec = [
  {
    cel: `has(self.installer) || self.version.contains("+rke2r")`,
    holds: ({ installer, version }: z.output<typeof plain>) =>
      installer !== undefined || version.includes("+rke2r"),
    message: "the version must end with +rke2rN, or an installer with url and digest must be given",
    field: "version",
  },
  {
    cel: "self.drain.timeoutSeconds < self.nodeTimeoutSeconds",
    holds: ({ drain: { timeoutSeconds }, nodeTimeoutSeconds }: z.output<typeof plain>) =>
      timeoutSeconds < nodeTimeoutSeconds,
    message:
      "nodeTimeoutSeconds must be more than drain.timeoutSeconds, because draining is a part of it: raise it",
    field: "nodeTimeoutSeconds",
  },
].reduce((schema, rule) => withRule(schema, rule), plain);

const nodeStatus = z.strictObject({
  name: text(253).describe("The node."),
  phase: z
    .enum([
      "Pending",
      "Cordoning",
      "Draining",
      "Upgrading",
      "Verifying",
      "Uncordoning",
      "Done",
      "Skipped",
      "Failed",
    ])
    .describe("How far it is."),
  fromVersion: text(64).optional().describe("The kubelet's version before."),
  startedAt: recordedTimestamp().optional().describe("When the node was begun."),
  phaseStartedAt: recordedTimestamp().optional().describe("When the phase began."),
  completedAt: recordedTimestamp().optional().describe("When the node was done with, well or not."),
  secondsInWork: z
    .int()
    .min(0)
    .optional()
    .describe("How long it has been in work, by clocks that do not jump; time-outs go by it."),
  secondsInPhase: z.int().min(0).optional().describe("How long it has been in its phase, likewise."),
  reason: text(128).optional().describe("Why it is in this phase, as one word."),
  message: text(1024, 0).optional().describe("Why, as a sentence."),
  attempt: z
    .int()
    .min(0)
    .optional()
    .describe("How often the installer was started; it is never more than asked for."),
  exitCode: z.int().min(0).max(255).optional().describe("What the installer ended with."),
  output: text(MAX_OUTPUT, 0)
    .optional()
    .describe("Why the installer failed, in its own words and short; what it wrote stays on the node."),
  installer: z
    .enum(INSTALLER_STATES)
    .optional()
    .describe(
      "How far the agent is with the installer. Refused: it was not run, because it is not what was asked for. Aborted: it was not run, because the upgrade was ended first. Lost: it began and nothing says how it ended, as after a crash of the machine.",
    ),
  installerMessage: text(MAX_MESSAGE, 0).optional().describe("What the agent says about it."),
});

/** The kind `ClusterUpgrade`: brings nodes to a version. */
export const clusterUpgrade = defineKind({
  kind: "ClusterUpgrade",
  plural: "clusterupgrades",
  shortNames: ["fwup"],
  summary: "Brings the nodes of the cluster to a Kubernetes version, one after another.",
  details: [
    "The coordinator checks, then takes the control plane's nodes one at a time and the workers after them: cordon, drain by eviction, hand over to the agent on the node, verify, uncordon. One upgrade runs at a time; others wait in the order of their creation.",
    "Before each node the whole control plane must be well: its nodes Ready, their etcd, API server, controller manager and scheduler Ready, each etcd a voting member. Until it is, no other node is begun, and status says why.",
    "`paused` holds it between two nodes, `aborted` ends it. Status tells the phase of each node in work, and why nodes failed.",
  ],
  spec,
  changes: [
    {
      cel: "self.version == oldSelf.version",
      holds: (after, before) => after.version === before.version,
      message: "the version of an upgrade cannot be changed: abort this one and make a new ClusterUpgrade",
      field: "version",
    },
    {
      cel: "self.aborted || !oldSelf.aborted",
      holds: (after, before) => after.aborted || !before.aborted,
      message: "an aborted upgrade cannot be taken up again: make a new ClusterUpgrade",
      field: "aborted",
    },
  ],
  status: z.strictObject({
    ...commonStatus(),
    phase: z
      .enum(["Pending", "Preflight", "Running", "Paused", "Aborting", "Aborted", "Succeeded", "Failed"])
      .optional()
      .describe("How far the upgrade is."),
    startedAt: recordedTimestamp().optional().describe("When the first node was begun."),
    completedAt: recordedTimestamp().optional().describe("When the last node was done with."),
    total: z.int().min(0).optional().describe("How many nodes the selector finds now."),
    done: z.int().min(0).optional().describe("How many are at the version."),
    failed: z.int().min(0).optional().describe("How many failed."),
    // As many as an earlier release wrote: what is stored must stay valid.
    nodes: listOf(nodeStatus, 5000)
      .optional()
      .describe(
        "Nodes in work, and nodes that failed. Of the others the Node itself says whether it is at the version.",
      ),
  }),
  columns: [
    { name: "Version", type: "string", jsonPath: ".spec.version", description: "The version to reach." },
    { name: "Phase", type: "string", jsonPath: ".status.phase", description: "How far the upgrade is." },
    { name: "Done", type: "integer", jsonPath: ".status.done", description: "Nodes at the version." },
    { name: "Total", type: "integer", jsonPath: ".status.total", description: "Nodes to upgrade." },
    { name: "Failed", type: "integer", jsonPath: ".status.failed", description: "Nodes that failed." },
    {
      name: "Paused",
      type: "boolean",
      jsonPath: ".spec.paused",
      description: "Whether it is held.",
      wide: true,
    },
    {
      name: "Reason",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
      description: "Why it is where it is.",
      wide: true,
    },
  ],
  example: {
    metadata: { name: "to-1-35-4" },
    spec: {
      version: "v1.35.4+rke2r1",
      digest: `sha256:${"0123456789abcdef".repeat(4)}`,
      maxUnavailable: 2,
      drain: {
        timeoutSeconds: 900,
        rules: [
          {
            name: "batch",
            podSelector: { matchLabels: { "app.kubernetes.io/component": "batch" } },
            behavior: "WaitCompleted",
          },
          {
            name: "databases-last",
            podSelector: { matchExpressions: [{ key: "tier", operator: "In", values: ["database"] }] },
            order: 100,
          },
        ],
      },
    },
  },
});

/** Brings nodes to a version. */
export type ClusterUpgrade = ObjectOf<typeof clusterUpgrade>;
/** The spec of a {@link ClusterUpgrade} as it is written. */
export type ClusterUpgradeSpecInput = SpecInputOf<typeof clusterUpgrade>;
/** One node's progress in a {@link ClusterUpgrade}. */
export type NodeUpgradeStatus = NonNullable<StatusOf<typeof clusterUpgrade>["nodes"]>[number];
