import { clusterUpgrade, type ClusterUpgradeSpecInput } from "../../../api";
import { blockingPods } from "./blocking-pods";
import type { Budget } from "./cluster-facts";
import type { Pod } from "./drain";

const spec = (drain: ClusterUpgradeSpecInput["drain"] = {}) =>
  clusterUpgrade.parse({
    apiVersion: "fleetwright.dev/v1",
    kind: "ClusterUpgrade",
    metadata: { name: "up" },
    spec: { version: "v1.35.4+rke2r1", drain },
  }).spec;
const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid: "1", controller: true };
const pod = (
  labels: Record<string, string>,
  more: Partial<Pod["metadata"]> = {},
  rest: Partial<Pod> = {},
): Pod => ({
  metadata: { name: "p", namespace: "n", labels, ownerReferences: [owner], ...more },
  ...rest,
});
const budget = (name: string, selector: object | undefined, namespace = "n"): Budget => ({
  metadata: { name, namespace },
  spec: selector === undefined ? {} : { selector },
});
const web = { matchLabels: { app: "web" } };
const local = { spec: { volumes: [{ name: "v", emptyDir: {} }] } };

test.each<[string, Pod, Budget[], ClusterUpgradeSpecInput["drain"], string | undefined]>([
  ["an ordinary one", pod({ app: "web" }), [budget("a", web)], {}, undefined],
  [
    "one under two budgets",
    pod({ app: "web" }),
    [budget("a", web), budget("b", {}), budget("c", undefined), budget("d", web, "other")],
    {},
    "n/p, which is under 2 PodDisruptionBudgets (a, b), so that the API server refuses its eviction: leave it one",
  ],
  [
    "one with local data that is to be kept",
    pod({}, {}, local),
    [],
    { deleteEmptyDirData: false },
    "n/p, whose emptyDir would be lost: delete it, or set drain.deleteEmptyDirData",
  ],
  ["one with local data", pod({}, {}, local), [], {}, undefined],
  [
    "one that nobody would make again",
    pod({}, { ownerReferences: [] }),
    [],
    {},
    "n/p, which nothing would make again: delete it, or set drain.evictUnmanaged",
  ],
  [
    "one that a rule leaves alone",
    pod({ app: "web" }, { ownerReferences: [] }),
    [],
    { rules: [{ name: "r", podSelector: web, behavior: "Skip" }] },
    undefined,
  ],
  [
    "a static one",
    pod({}, { ownerReferences: [], annotations: { "kubernetes.io/config.mirror": "x" } }),
    [],
    {},
    undefined,
  ],
])("blocks or not: %s", (_what, one, budgets, drain, expected) => {
  expect(blockingPods([one], spec(drain), budgets, () => ({}))).toEqual(
    expected === undefined ? [] : [expected],
  );
});
