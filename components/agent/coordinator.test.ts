import { MockGraph } from "../testing/mock-graph";
import { Coordinator, SystemNamespace, type CoordinatorArgs } from ".";
import { checkCoordinator } from "./problems";

const DIGEST = `sha256:${"a".repeat(64)}`;
const args: CoordinatorArgs = {
  image: `registry.test/coordinator@${DIGEST}`,
  namespace: "fleetwright-system",
};

/** What is found along a path of keys. */
function at(value: unknown, ...keys: (string | number)[]): unknown {
  return keys.reduce<unknown>(
    (here, key) => (typeof here === "object" && here !== null ? Reflect.get(here, key) : undefined),
    value,
  );
}

describe("the coordinator", () => {
  let graph: MockGraph;
  beforeAll(async () => {
    graph = await MockGraph.of(() => new Coordinator("coordinator", args));
  });

  it("runs twice, spread over zones and nodes, and one at a time may be disturbed", () => {
    const { spec } = graph.one("kubernetes:apps/v1:Deployment", "coordinator").inputs;
    expect(at(spec, "replicas")).toBe(2);
    const spread = at(spec, "template", "spec", "topologySpreadConstraints") as { topologyKey: string }[];
    expect(spread.map(({ topologyKey }) => topologyKey)).toEqual([
      "topology.kubernetes.io/zone",
      "kubernetes.io/hostname",
    ]);
    const budget = graph.one("kubernetes:policy/v1:PodDisruptionBudget", "coordinator").inputs;
    expect(at(budget, "spec", "maxUnavailable")).toBe(1);
  });

  it("is restricted: no root, no capability, nothing to write on, no way to more rights", () => {
    const { spec } = graph.one("kubernetes:apps/v1:Deployment", "coordinator").inputs;
    expect(at(spec, "template", "spec", "securityContext")).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(at(spec, "template", "spec", "containers", 0, "securityContext")).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(at(spec, "template", "spec", "volumes")).toBeUndefined();
  });

  it("asks AWS with the keys of a Secret that is named, and has none of its own", async () => {
    const environment = (from: MockGraph): unknown =>
      at(
        from.one("kubernetes:apps/v1:Deployment", "coordinator").inputs.spec,
        ...["template", "spec", "containers", 0, "env"],
      );
    expect(JSON.stringify(environment(graph))).not.toContain("AWS_");
    const named = await MockGraph.of(() => new Coordinator("coordinator", { ...args, awsSecret: "keys" }));
    const key = (name: string, optional: boolean): object => ({
      name,
      valueFrom: { secretKeyRef: { name: "keys", key: name, optional } },
    });
    expect(environment(named)).toEqual([
      expect.objectContaining({ name: "POD_NAME" }),
      key("AWS_ACCESS_KEY_ID", false),
      key("AWS_SECRET_ACCESS_KEY", false),
      key("AWS_SESSION_TOKEN", true),
    ]);
    expect(named.resources.filter(({ type }) => type === "kubernetes:core/v1:Secret")).toEqual([]);
    expect(checkCoordinator({ ...args, awsSecret: "Not_a_name" })).toMatchObject({
      problems: [{ path: "awsSecret", message: expect.stringMatching(/the name of a Secret/) as string }],
    });
  });

  it("starts when it has its rights", () => {
    const { dependencies } = graph.one("kubernetes:apps/v1:Deployment", "coordinator");
    const types = ["ClusterRoleBinding", "RoleBinding"].map((kind) => `rbac.authorization.k8s.io/v1:${kind}`);
    for (const type of types)
      expect(dependencies).toContainEqual(expect.stringContaining(`kubernetes:${type}::coordinator`));
  });

  it("has no right by a wildcard", () => {
    const given = graph.resources.filter(({ type }) => /:(Cluster)?Role$/.test(type));
    const accounts = graph
      .all("kubernetes:core/v1:ServiceAccount")
      .filter(({ name }) => name !== "coordinator");
    expect(accounts).not.toEqual([]);
    expect(given).toHaveLength(2 + accounts.length);
    // Nor one with which it could give itself others.
    expect(JSON.stringify(given.map(({ inputs }) => inputs.rules))).not.toMatch(/\*|"escalate"|"bind"/);
  });

  it("can reach the API server, names and token services, and nothing else", () => {
    const { spec } = graph.one("kubernetes:networking.k8s.io/v1:NetworkPolicy", "coordinator").inputs;
    const ports = at(spec, "egress", 0, "ports") as { port: number }[];
    expect(ports.map(({ port }) => port)).toEqual([53, 53, 443, 6443]);
  });

  it("is watched by the Prometheus operator only when asked", async () => {
    const monitored = await MockGraph.of(
      () => new Coordinator("coordinator", { ...args, serviceMonitor: true }),
    );
    const type = "kubernetes:monitoring.coreos.com/v1:ServiceMonitor";
    expect([graph.all(type).length, monitored.all(type).length]).toEqual([0, 1]);
  });

  it("lets each child be overridden", async () => {
    const changed = await MockGraph.of(
      () =>
        new Coordinator("coordinator", {
          ...args,
          transform: {
            deployment: (deployment) => {
              deployment.metadata = { name: "other" };
            },
            service: { spec: { type: "ClusterIP" } },
          },
        }),
    );
    expect(changed.one("kubernetes:apps/v1:Deployment", "coordinator").inputs.metadata).toEqual({
      name: "other",
    });
    expect(changed.one("kubernetes:core/v1:Service", "coordinator").inputs.spec).toEqual({
      type: "ClusterIP",
    });
  });

  it.each<[string, Partial<CoordinatorArgs>, RegExp]>([
    [
      "an image by its tag",
      { image: "registry.test/coordinator:1" },
      /^image: .*registry\.test\/coordinator@sha256:…$/,
    ],
    [
      "no image",
      { image: "" },
      /^image: found "": use the image's digest.*: registry\.example\.com\/name@sha256/,
    ],
    ["no replica", { replicas: 0 }, /^replicas: found 0: use 1 or more/],
    ["an unknown level", { logLevel: "loud" }, /^logLevel: found "loud"/],
  ])("is refused with %s", (_, wrong, words) => {
    const checked = checkCoordinator({ ...args, ...wrong });
    expect(checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(words),
    ]);
  });
});

test("the namespace of the product is closed, and says what pods it takes", async () => {
  const graph = await MockGraph.of(() => new SystemNamespace("system", { labels: { team: "a" } }));
  expect(graph.one("kubernetes:core/v1:Namespace", "system").inputs.metadata).toMatchObject({
    name: "fleetwright-system",
    labels: { team: "a", "pod-security.kubernetes.io/warn": "restricted" },
  });
  const policy = graph.one("kubernetes:networking.k8s.io/v1:NetworkPolicy", "system-closed").inputs;
  expect(policy.spec).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
});
