import { summaryRows } from "./summary";

const ready = (status: string): object => ({ conditions: [{ type: "Ready", status }] });
const object = (kind: string, name: string, status = "True"): object => ({
  kind,
  metadata: { name },
  status: { ...ready(status), nodeInfo: { kubeletVersion: "v1.35.4" } },
});

test("the summary counts what is ready and names what is not", () => {
  const rows = summaryRows({
    everywhere: {
      items: [
        object("Node", "a"),
        object("Node", "b", "False"),
        object("User", "jane"),
        object("User", "joe", "Unknown"),
        object("ClusterLabel", "tier"),
        object("NodePoolLabel", "web.disk"),
      ],
    },
    workloads: {
      items: [
        { metadata: { name: "coordinator" }, spec: { replicas: 2 }, status: { readyReplicas: 1 } },
        { metadata: { name: "agent" }, status: { desiredNumberScheduled: 6, numberReady: 6 } },
      ],
    },
  });
  expect(Object.fromEntries(rows)).toEqual({
    nodes: "1 of 2 ready, v1.35.4",
    workloads: "coordinator 1/2, agent 6/6",
    users: "jane, joe (not ready yet: joe)",
    registries: "none",
    labels: "tier, web.disk",
    roles: "none",
    plugins: "none",
  });
});

test("many of a kind are counted, not listed", () => {
  const items = Array.from({ length: 20 }, (_, index) => object("User", `user-${index}`));
  const users = summaryRows({ everywhere: { items }, workloads: undefined }).find(
    ([what]) => what === "users",
  );
  expect(users?.[1]).toMatch(/user-7 and 12 more$/);
});

test("a cluster that does not answer has nothing to tell", () => {
  expect(summaryRows({ everywhere: undefined, workloads: undefined })).toContainEqual([
    "nodes",
    "0 of 0 ready",
  ]);
});
