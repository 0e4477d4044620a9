import { nextNames, nodeAddress, nodeManifest, unreadiness } from "./nodes";

test.each<[string[], string, number, string[]]>([
  [[], "node-", 2, ["node-1", "node-2"]],
  [["node-1", "node-3"], "node-", 2, ["node-4", "node-5"]],
  [["node-x", "other-9", "node-2"], "node-", 1, ["node-3"]],
  [["node-7"], "gpu-", 1, ["gpu-1"]],
  [["node-1"], "node-", 0, []],
])("after %p come, with prefix %s, %i names", (existing, prefix, count, names) => {
  expect(nextNames(existing, prefix, count)).toEqual(names);
});

test.each([
  [1, "198.18.0.1"],
  [256, "198.18.1.0"],
  [70_000, "198.19.17.112"],
])("node %i has the address %s", (index, address) => expect(nodeAddress(index)).toBe(address));

const ready = { status: { conditions: [{ type: "Ready", status: "True" }] }, metadata: { name: "node-1" } };
test.each<[string, unknown, string | undefined]>([
  ["a ready one", ready, undefined],
  ["one with a taint of its owner", { ...ready, spec: { taints: [{ key: "gpu" }] } }, undefined],
  [
    "one whose taint is not yet lifted",
    { ...ready, spec: { taints: [{ key: "node.kubernetes.io/not-ready" }] } },
    "node-1 still has the taint node.kubernetes.io/not-ready",
  ],
  ["one that kwok has not seen", { metadata: { name: "node-1" } }, "node-1 has the condition Ready missing"],
])("pods can go to a node: %s", (_, node, reason) => expect(unreadiness(node)).toBe(reason));

test("a node carries the labels and the capacity it was given", () => {
  const manifest = nodeManifest("gpu-1", "198.18.0.1", { labels: { pool: "gpu" }, capacity: { cpu: "64" } });
  expect(manifest).toMatchObject({
    metadata: { name: "gpu-1", labels: { pool: "gpu", "kubernetes.io/hostname": "gpu-1" } },
    status: { capacity: { cpu: "64" }, allocatable: { cpu: "64" } },
  });
});
