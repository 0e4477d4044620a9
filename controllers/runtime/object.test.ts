import { compareVersions, isObject, keyOf, refOf, resourcePath } from "./object";

test.each([
  ["9", "10", -1],
  ["10", "9", 1],
  ["123", "123", 0],
  ["99999999999999999998", "99999999999999999999", -1],
])("version %s beside %s", (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});

test.each([
  [{ metadata: { name: "a" } }, "a"],
  [{ metadata: { name: "a", namespace: "" } }, "a"],
  [{ metadata: { name: "a", namespace: "n" } }, "n/a"],
])("the key of %j is %s", (object, key) => {
  expect(keyOf(object)).toBe(key);
  expect(refOf(key).name).toBe("a");
});

test("paths of collections, objects and subresources", () => {
  const pods = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
  const nodes = { ...pods, kind: "Node", plural: "nodes", namespaced: false };
  const leases = { ...pods, group: "coordination.k8s.io", plural: "leases" };
  expect(resourcePath(pods)).toBe("/api/v1/pods");
  expect(resourcePath(pods, { namespace: "n", name: "a" }, "status")).toBe(
    "/api/v1/namespaces/n/pods/a/status",
  );
  expect(resourcePath(nodes, { namespace: "n", name: "a" })).toBe("/api/v1/nodes/a");
  expect(resourcePath(leases, { namespace: "n" })).toBe("/apis/coordination.k8s.io/v1/namespaces/n/leases");
  expect(resourcePath(pods, { namespace: "../x", name: "a/b" })).toBe("/api/v1/namespaces/..%2Fx/pods/a%2Fb");
});

test.each([[null], [5], [{}], [{ metadata: null }], [{ metadata: { name: 5 } }]])(
  "%j is no object of the API",
  (value) => {
    expect(isObject(value)).toBe(false);
  },
);
