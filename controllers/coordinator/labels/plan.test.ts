import { NODE_POOL_LABEL } from "../../../api";
import type { ClusterLabelObject, NodePoolLabelObject } from "../kinds";
import { labelPatch, resolve, type Declared } from "./plan";

const cluster = (name: string, key: string, value: string, age = 0): ClusterLabelObject => ({
  metadata: { name, creationTimestamp: `2026-01-0${9 - age}T00:00:00Z` },
  spec: { key, value },
});
const pool = (name: string, of: string, key: string, value: string, age = 0): NodePoolLabelObject => ({
  metadata: { name, creationTimestamp: `2026-01-0${9 - age}T00:00:00Z` },
  spec: { pool: of, key, value },
});
const none = (): boolean => false;
const both = (clusters: ClusterLabelObject[], pools: NodePoolLabelObject[]): Declared =>
  resolve(clusters, pools, none);
const node = (
  labels: Record<string, string>,
): { metadata: { name: string; labels: Record<string, string> } } => ({
  metadata: { name: "n", labels },
});

test.each<[string, Record<string, string>, Declared, Record<string, string | null> | undefined]>([
  ["nothing is declared", { "cluster.fleetwright.dev/a": "1" }, both([], []), undefined],
  [
    "a label is missing",
    { other: "x" },
    both([cluster("c", "a", "1")], []),
    { "cluster.fleetwright.dev/a": "1" },
  ],
  ["all is in place", { "cluster.fleetwright.dev/a": "1" }, both([cluster("c", "a", "1")], []), undefined],
  [
    "a value differs and one is too many",
    { "cluster.fleetwright.dev/a": "0", "cluster.fleetwright.dev/b": "1", "fleetwright.dev/b": "1" },
    both([cluster("c", "a", "1")], []),
    { "cluster.fleetwright.dev/a": "1", "cluster.fleetwright.dev/b": null },
  ],
  ["a value is empty", {}, both([cluster("c", "a", "")], []), { "cluster.fleetwright.dev/a": "" }],
  [
    "the node is in the pool",
    { [NODE_POOL_LABEL]: "w" },
    both([], [pool("p", "w", "disk", "ssd"), pool("q", "x", "disk", "hdd")]),
    { "nodepool.fleetwright.dev/disk": "ssd" },
  ],
  [
    "the node left the pool",
    { "nodepool.fleetwright.dev/disk": "ssd" },
    both([], [pool("p", "w", "disk", "ssd")]),
    { "nodepool.fleetwright.dev/disk": null },
  ],
  [
    "labels of the other kind are not declared at all",
    { "nodepool.fleetwright.dev/disk": "ssd" },
    both([cluster("c", "a", "1")], []),
    { "cluster.fleetwright.dev/a": "1" },
  ],
  [
    "a key is called like a property of every object",
    {},
    both([cluster("c", "constructor", "1")], []),
    { "cluster.fleetwright.dev/constructor": "1" },
  ],
])("when %s", (_what, labels, declared, patch) => {
  expect(labelPatch(node(labels), declared)).toEqual(patch);
});

test("of two with the same key the older holds, and in another pool it is another key", () => {
  const declared = both(
    [cluster("young", "a", "1"), cluster("old", "a", "2", 5)],
    [pool("x", "one", "a", "1"), pool("y", "two", "a", "2"), pool("z", "two", "a", "3")],
  );
  expect(declared.cluster.get("cluster.fleetwright.dev/a")).toBe("2");
  expect([...declared.overruled]).toEqual([
    ["ClusterLabel/young", "ClusterLabel/old"],
    ["NodePoolLabel/z", "NodePoolLabel/y"],
  ]);
});

test("what is being deleted holds no more, and the younger takes its place", () => {
  const declared = resolve(
    [cluster("young", "a", "1"), cluster("old", "a", "2", 5)],
    [],
    ({ metadata }) => metadata.name === "old",
  );
  expect(declared.cluster.get("cluster.fleetwright.dev/a")).toBe("1");
  expect(declared.overruled.size).toBe(0);
});
