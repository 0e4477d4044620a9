import { clusterUpgrade, type ClusterUpgradeSpecInput } from "../../../api";
import { planDrain, type Pod } from "./drain";

const spec = (drain: ClusterUpgradeSpecInput["drain"]): Parameters<typeof planDrain>[1] =>
  clusterUpgrade.parse({
    apiVersion: "fleetwright.dev/v1",
    kind: "ClusterUpgrade",
    metadata: { name: "up" },
    spec: { version: "v1.35.4+rke2r1", drain },
  }).spec.drain;
const owned = (kind: string): Pod["metadata"]["ownerReferences"] => [
  { apiVersion: "apps/v1", kind, name: "x", uid: "1", controller: true },
];
const pod = (
  name: string,
  labels: Record<string, string> = {},
  more: Partial<Pod["metadata"]> = {},
  rest: Partial<Pod> = {},
): Pod => ({
  metadata: { name, namespace: "n", labels, ownerReferences: owned("ReplicaSet") ?? [], ...more },
  ...rest,
});
const plan = (pods: Pod[], drain: ClusterUpgradeSpecInput["drain"] = {}): [string[], string[], boolean] => {
  const { evict, waitingFor, empty } = planDrain(pods, spec(drain), () => ({ team: "a" }));
  return [evict.map(({ metadata }) => metadata.name), waitingFor, empty];
};

test.each<[string, Pod, ClusterUpgradeSpecInput["drain"], [string[], string[], boolean]]>([
  ["an ordinary pod goes", pod("p"), {}, [["p"], [], false]],
  [
    "a pod of a DaemonSet stays",
    pod("p", {}, { ownerReferences: owned("DaemonSet") ?? [] }),
    {},
    [[], [], true],
  ],
  [
    "a static pod stays",
    pod("p", {}, { annotations: { "kubernetes.io/config.mirror": "x" } }),
    {},
    [[], [], true],
  ],
  ["a finished pod stays", pod("p", {}, {}, { status: { phase: "Succeeded" } }), {}, [[], [], true]],
  [
    "a pod that is ending is waited for",
    pod("p", {}, { deletionTimestamp: "x", finalizers: ["f"] }),
    {},
    [[], ["n/p to end, held by f"], false],
  ],
  [
    "a pod without an owner holds it up",
    pod("p", {}, { ownerReferences: [] }),
    {},
    [[], ["n/p, which nothing would make again: delete it, or set drain.evictUnmanaged"], false],
  ],
  [
    "a pod without an owner goes if allowed",
    pod("p", {}, { ownerReferences: [] }),
    { evictUnmanaged: true },
    [["p"], [], false],
  ],
  [
    "an emptyDir holds it up if it is to be kept",
    pod("p", {}, {}, { spec: { volumes: [{ name: "v", emptyDir: {} }] } }),
    { deleteEmptyDirData: false },
    [[], ["n/p, whose emptyDir would be lost: delete it, or set drain.deleteEmptyDirData"], false],
  ],
  [
    "an emptyDir goes with its pod",
    pod("p", {}, {}, { spec: { volumes: [{ name: "v", emptyDir: {} }] } }),
    {},
    [["p"], [], false],
  ],
  [
    "a rule leaves it",
    pod("p", { a: "1" }),
    { rules: [{ name: "r", podSelector: { matchLabels: { a: "1" } }, behavior: "Skip" }] },
    [[], [], true],
  ],
  [
    "a rule waits for it",
    pod("p", { a: "1" }),
    { rules: [{ name: "r", podSelector: { matchLabels: { a: "1" } }, behavior: "WaitCompleted" }] },
    [[], ["n/p to finish by itself"], false],
  ],
  [
    "a rule for another namespace does not fit",
    pod("p"),
    { rules: [{ name: "r", namespaceSelector: { matchLabels: { team: "b" } }, behavior: "Skip" }] },
    [["p"], [], false],
  ],
])("%s", (_what, one, drain, expected) => {
  expect(plan([one], drain)).toEqual(expected);
});

test("pods of a lower order go first, and the next ones only when they are gone", () => {
  const rules = [
    { name: "first", podSelector: { matchLabels: { tier: "web" } }, order: -5 },
    { name: "last", podSelector: { matchLabels: { tier: "db" } }, order: 10 },
  ];
  const web = pod("web", { tier: "web" });
  const [db, plain] = [pod("db", { tier: "db" }), pod("plain")];
  expect(plan([db, plain, web], { rules })[0]).toEqual(["web"]);
  expect(
    plan([db, plain, { ...web, metadata: { ...web.metadata, deletionTimestamp: "x" } }], { rules })[0],
  ).toEqual([]);
  expect(plan([db, plain], { rules })[0]).toEqual(["plain"]);
  expect(plan([db], { rules })[0]).toEqual(["db"]);
  expect(plan([], { rules })).toEqual([[], [], true]);
});
