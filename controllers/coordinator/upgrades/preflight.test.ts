import { clusterUpgrade } from "../../../api";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { preflight, type PreflightFacts } from "./preflight";

const node = (name: string, kubeletVersion: string, { ready = "True", master = false } = {}): Node => ({
  metadata: { name, labels: master ? { "node-role.kubernetes.io/control-plane": "" } : {} },
  status: { conditions: [{ type: "Ready", status: ready }], nodeInfo: { kubeletVersion } },
});
const NOW = 1_000_000_000_000;
const upgrade = (version: string, skip: string[] = []): UpgradeObject => ({
  metadata: { name: "up" },
  spec: clusterUpgrade.parse({
    apiVersion: "fleetwright.dev/v1",
    kind: "ClusterUpgrade",
    metadata: { name: "up" },
    spec: { version, digest: `sha256:${"0".repeat(64)}`, preflight: { skip } },
  }).spec,
});
const facts = (nodes: Node[], more: Partial<PreflightFacts> = {}): PreflightFacts => ({
  nodes,
  selected: nodes,
  serverVersion: "v1.34.1+rke2r1",
  newestSnapshot: NOW - 1000,
  blockingBudgets: [],
  blockingPods: [],
  agents: undefined,
  stack: undefined,
  now: NOW,
  ...more,
});
const old = node("a", "v1.34.1+rke2r1");

test.each<[string, string, PreflightFacts, string[]]>([
  ["the next minor version", "v1.35.4+rke2r1", facts([old]), []],
  ["another patch", "v1.34.9+rke2r1", facts([old]), []],
  [
    "two minor versions at once",
    "v1.36.0+rke2r1",
    facts([old]),
    ["a (v1.34.1+rke2r1) is more than one minor version before v1.36.0+rke2r1; go one at a time"],
  ],
  [
    "back",
    "v1.33.0+rke2r1",
    facts([old]),
    ["a (v1.34.1+rke2r1) is newer than v1.33.0+rke2r1; nodes cannot go back"],
  ],
  [
    "a node that is not ready",
    "v1.35.4+rke2r1",
    facts([node("a", "v1.34.1", { ready: "Unknown" })]),
    ["not Ready: a; repair or remove them"],
  ],
  [
    "workers before the control plane",
    "v1.35.4+rke2r1",
    facts([old, node("m", "v1.34.1", { master: true })], { selected: [old] }),
    ["v1.35.4+rke2r1 is newer than the API server (v1.34.1+rke2r1); upgrade the control plane first"],
  ],
  [
    "workers left too far behind",
    "v1.35.4+rke2r1",
    facts([node("m", "v1.34.1", { master: true }), node("w", "v1.31.0")], {
      selected: [node("m", "v1.34.1", { master: true })],
    }),
    ["w would be more than 3 minor versions behind; upgrade them first"],
  ],
  [
    "no snapshot",
    "v1.35.4+rke2r1",
    facts([node("m", "v1.34.1", { master: true })], { newestSnapshot: undefined }),
    ["no snapshot of etcd is known; make one, or skip EtcdSnapshot"],
  ],
  [
    "an old snapshot",
    "v1.35.4+rke2r1",
    facts([node("m", "v1.34.1", { master: true })], { newestSnapshot: NOW - 86_401_000 }),
    ["the newest snapshot of etcd is 86401 s old, more than 86400; make one"],
  ],
  [
    "no snapshot, but the control plane is hosted",
    "v1.35.4+rke2r1",
    facts([old], { newestSnapshot: undefined }),
    [],
  ],
  [
    "budgets",
    "v1.35.4+rke2r1",
    facts([old], { blockingBudgets: ["shop/db"] }),
    ["PodDisruptionBudgets that allow no disruption: shop/db; add replicas or loosen them"],
  ],
  [
    "pods that would block",
    "v1.35.4+rke2r1",
    facts([old], { blockingPods: ["shop/a, because", "shop/b, because"] }),
    ["pods that cannot be drained: shop/a, because, shop/b, because"],
  ],
  [
    "a node without an agent",
    "v1.35.4+rke2r1",
    facts([old, node("b", "v1.34.1+rke2r1")], { agents: new Set(["b"]) }),
    ["no agent is Ready on a: look at the pods of the DaemonSet fleetwright-agent"],
  ],
  [
    "another version than the stack's",
    "v1.35.4+rke2r1",
    facts([old], { stack: { stack: "p/dev", version: "v1.34.1+rke2r1" } }),
    [
      "the stack p/dev declares v1.34.1+rke2r1 for this cluster and would bring nodes back to it, or make new ones with it: " +
        "raise cluster.version there and run pulumi up instead of this, or let the stack agree by fleetwright:upgradeTo: v1.35.4+rke2r1 and pulumi up",
    ],
  ],
  [
    "the stack's version",
    "v1.35.4+rke2r1",
    facts([old], { stack: { stack: "p/dev", version: "v1.35.4+rke2r1" } }),
    [],
  ],
  [
    "a version that the stack agrees to",
    "v1.35.4+rke2r1",
    facts([old], { stack: { stack: "p/dev", version: "v1.34.1+rke2r1", upgradeTo: "v1.35.4+rke2r1" } }),
    [],
  ],
  [
    "a stack that did not build the cluster",
    "v1.35.4+rke2r1",
    facts([old], { stack: { stack: "p/dev" } }),
    [],
  ],
])("%s", (_what, version, given, problems) => {
  expect(preflight(upgrade(version), given)).toEqual(problems);
});

test("RKE2 is not upgraded to a version without its digest", () => {
  const { metadata, spec } = upgrade("v1.35.4+rke2r1");
  expect(preflight({ metadata, spec: { ...spec, digest: undefined } }, facts([old]))).toEqual([
    "spec.digest is missing: set it to the SHA-256 of rke2.linux-amd64.tar.gz, which stands in sha256sum-amd64.txt of the release",
  ]);
});

test("checks can be left out one by one", () => {
  const bad = facts([node("m", "v1.30.0", { ready: "False", master: true })], {
    newestSnapshot: undefined,
    blockingBudgets: ["x/y"],
  });
  expect(preflight(upgrade("v1.35.4+rke2r1"), bad)).toHaveLength(4);
  expect(
    preflight(upgrade("v1.35.4+rke2r1", ["NodeHealth", "VersionSkew", "EtcdSnapshot"]), bad),
  ).toHaveLength(1);
  expect(
    preflight(
      upgrade("v1.35.4+rke2r1", ["NodeHealth", "VersionSkew", "EtcdSnapshot", "PodDisruptionBudgets"]),
      bad,
    ),
  ).toEqual([]);
});
