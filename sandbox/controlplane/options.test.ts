import { planOf, type ControlPlaneOptions } from "./options";

test.each<[string, ControlPlaneOptions, string[]]>([
  ["nothing asked", {}, ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"]],
  [
    "nodes asked",
    { nodes: 1 },
    ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"],
  ],
  ["the least", { components: { controllerManager: false, scheduler: false } }, ["etcd", "kube-apiserver"]],
  ["the hub's API server", { server: "hub-apiserver" }, ["hub-apiserver"]],
])("components that run, %s", (_, options, names) => expect([...planOf(options).components]).toEqual(names));

test.each<[ControlPlaneOptions, boolean]>([
  [{}, false],
  [{ dir: "/x" }, true],
  [{ dir: "/x", durable: false }, false],
])("data is made to last where the directory is kept: %p", (options, durable) =>
  expect(planOf(options).durable).toBe(durable),
);

test("all that is wrong is said at once", () => {
  const plan = () =>
    planOf({
      nodes: 1.5,
      lifetime: "detached",
      name: "a/b",
      components: { kwok: false, controllerManager: false },
    });
  expect(plan).toThrow(
    /nodes is 1.5: give[^]*kwok is false[^]*controllerManager is false[^]*"detached" without dir: give[^]*name is "a\/b": use/,
  );
});
