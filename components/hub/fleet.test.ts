import { at, listAt } from "../../lib/json";
import { isSecret, MockGraph, type RegisteredResource } from "../testing/mock-graph";
import { Fleet, HubControllers, type FleetArgs, type HubControllersArgs } from ".";
import { checkFleet, checkHubControllers } from "./fleet-problems";
import { kubeconfigFor } from "./member-account";

const digest = `sha256:${"c".repeat(64)}`;
const kubeconfigOf = (name: string): string =>
  JSON.stringify({
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: "admin" } }],
    clusters: [
      { name: "another", cluster: { server: "https://another" } },
      { name, cluster: { server: `https://${name}.example`, "certificate-authority-data": "Q0E=" } },
    ],
    users: [{ name: "admin", user: { token: "of-the-administrator" } }],
  });
const args: FleetArgs = {
  hub: kubeconfigOf("hub"),
  members: [
    { name: "east", kubeconfig: kubeconfigOf("east"), topology: { region: "eu-central-1" } },
    { name: "west", kubeconfig: kubeconfigOf("west"), onRemove: "Delete", kinds: ["widgets.example.com"] },
  ],
};

const CLUSTER = "kubernetes:fleetwright.dev/v1:Cluster";
const SECRET = "kubernetes:core/v1:Secret";

describe("a fleet of two", () => {
  let graph: MockGraph;
  beforeAll(async () => {
    graph = await MockGraph.of(() => new Fleet("fleet", args));
  });

  const under = (resource: RegisteredResource): string[] => resource.dependencies.map((urn) => urn);

  it("has a Cluster for each on the hub, which needs its kinds and its credentials until it is gone", () => {
    const east = graph.one(CLUSTER, "fleet-east");
    expect(east.inputs.spec).toEqual({
      connection: { mode: "push", secretRef: { name: "cluster-east", namespace: "fleetwright-system" } },
      accepted: true,
      onRemove: "Orphan",
      topology: { region: "eu-central-1" },
    });
    expect(at(graph.one(CLUSTER, "fleet-west").inputs, "spec", "onRemove")).toBe("Delete");
    const kinds = graph.all("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition");
    expect(kinds).toHaveLength(5);
    const needed = [
      ...kinds,
      graph.all(SECRET).find(({ inputs }) => at(inputs, "metadata", "name") === "cluster-east"),
    ];
    for (const one of needed) expect(under(east)).toContain(one?.urn);
  });

  it("has no two resources of one name, which the engine refuses", () => {
    const urns = graph.resources.map(({ urn }) => urn);
    expect(new Set(urns).size).toBe(urns.length);
  });

  it("keeps the definitions on the hub when it goes: with them all objects would go", () => {
    for (const kind of graph.all("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"))
      expect(kind.isRetained).toBe(true);
  });

  it("gives the hub an account in each member, with the rights of a syncer, and nobody's own credentials", () => {
    const role = graph.one("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "fleet-west");
    expect(listAt(role.inputs, "rules")).toContainEqual({
      apiGroups: ["example.com"],
      resources: ["widgets"],
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
    });
    expect(JSON.stringify(role.inputs.rules)).not.toContain("*");
    const kept = graph.all(SECRET).filter(({ inputs }) => "stringData" in inputs);
    expect(kept).toHaveLength(2);
    for (const secret of kept) {
      expect(isSecret(secret.wrapped.stringData)).toBe(true);
      expect(JSON.stringify(secret.inputs)).not.toContain("of-the-administrator");
    }
  });

  it("shows no kubeconfig in the state", () => {
    expect(JSON.stringify(graph.resources.map(({ wrapped }) => withoutSecrets(wrapped)))).not.toContain(
      "of-the-administrator",
    );
  });
});

test("on a hub that somebody else keeps, nothing but the members is declared", async () => {
  const graph = await MockGraph.of(() => new Fleet("fleet", { ...args, kinds: false }));
  expect(graph.all("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition")).toEqual([]);
  expect(graph.all("kubernetes:core/v1:Namespace").map(({ name }) => name)).toEqual([
    "fleet-east",
    "fleet-west",
  ]);
  expect(graph.all(CLUSTER)).toHaveLength(2);
});

test("the kubeconfig for the hub has the member's address and authority, and the account's token", () => {
  const made: unknown = JSON.parse(
    kubeconfigFor(kubeconfigOf("east"), Buffer.from("secret").toString("base64")),
  );
  expect(at(made, "clusters", 0, "cluster")).toEqual({
    server: "https://east.example",
    "certificate-authority-data": "Q0E=",
  });
  expect(at(made, "users", 0, "user")).toEqual({ token: "secret" });
  expect(() => kubeconfigFor(JSON.stringify({ clusters: [] }), "")).toThrow(/no current context/);
});

describe("the hub's controllers", () => {
  const own: HubControllersArgs = {
    image: `registry.test/hub@${digest}`,
    namespace: "fleetwright-hub",
    kubeconfig: kubeconfigOf("hub"),
  };
  let graph: MockGraph;
  beforeAll(async () => {
    graph = await MockGraph.of(() => new HubControllers("controllers", own));
  });

  it("run twice, restricted, without any right in the cluster that they run in", () => {
    const { spec } = graph.one("kubernetes:apps/v1:Deployment", "controllers").inputs;
    expect(at(spec, "replicas")).toBe(2);
    const pod = at(spec, "template", "spec");
    expect(at(pod, "automountServiceAccountToken")).toBe(false);
    expect(at(pod, "securityContext")).toMatchObject({ runAsNonRoot: true });
    expect(graph.resources.filter(({ type }) => type.includes("rbac.authorization"))).toEqual([]);
  });

  it("work on the hub with a kubeconfig from a Secret, and on no argument of the command line", () => {
    const secret = graph.one(SECRET, "controllers");
    expect(isSecret(secret.wrapped.stringData)).toBe(true);
    const { spec } = graph.one("kubernetes:apps/v1:Deployment", "controllers").inputs;
    expect(listAt(spec, "template", "spec", "containers", 0, "args")).toEqual([
      "--kubeconfig=/etc/hub/access/kubeconfig",
      "--controllers=*",
      "--syncers=push",
      "--log-level=info",
      "--port=8080",
    ]);
  });
});

test.each<[string, FleetArgs, RegExp]>([
  ["two of one name", { ...args, members: [...args.members, ...args.members.slice(0, 1)] }, /east" twice/],
  [
    "a name that is none",
    { hub: "", members: [{ name: "East", kubeconfig: "" }] },
    /^members\[0\].name: found "East"/,
  ],
  [
    "an end that nobody knows",
    { hub: "", members: [{ name: "east", kubeconfig: "", onRemove: "Keep" }] },
    /^members\[0\].onRemove: found "Keep"/,
  ],
  [
    "a kind without a group",
    { hub: "", members: [{ name: "east", kubeconfig: "", kinds: ["widgets"] }] },
    /^members\[0\].kinds\[0\]: found "widgets"/,
  ],
])("a fleet with %s is refused", (_, wrong, words) => {
  const checked = checkFleet(wrong);
  expect(checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    expect.stringMatching(words),
  ]);
});

test("controllers by a tag, or of syncers that are neither here nor there, are refused", () => {
  const checked = checkHubControllers({ image: "hub:1", namespace: "n", kubeconfig: "", syncers: "pull" });
  expect(checked.ok ? [] : checked.problems.map(({ path }) => path)).toEqual(["image", "syncers"]);
});

function withoutSecrets(value: unknown): unknown {
  if (isSecret(value)) return "secret";
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutSecrets(member)]));
}
