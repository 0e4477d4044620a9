import { diagramOf } from "./stack-diagram";
import { componentGraph, readGraph } from "./stack-graph";

const urn = (type: string, name: string): string => `urn:pulumi:dev::fleetwright::${type}::${name}`;
const ROOT = urn("pulumi:pulumi:Stack", "fleetwright-dev");
const PROVIDER = urn("pulumi:providers:kubernetes", "cluster");

function state(type: string, name: string, more: object = {}): object {
  return { urn: urn(type, name), type, custom: !type.startsWith("fleetwright:"), parent: ROOT, ...more };
}
const within = (type: string, name: string): object => ({ parent: urn(`fleetwright:index:${type}`, name) });

/** Two servers with a volume each in a cluster, users in the cluster, and a bystander. */
const states = [
  { urn: ROOT, type: "pulumi:pulumi:Stack", custom: false },
  state("pulumi:providers:aws", "default_7_48_0"),
  state("pulumi:providers:kubernetes", "cluster", {
    dependencies: [urn("command:remote:Command", "kubeconfig")],
  }),
  state("fleetwright:index:Cluster", "dev"),
  state("aws:lb/loadBalancer:LoadBalancer", "api", within("Cluster", "dev")),
  ...[0, 1].flatMap((index) => [
    state("fleetwright:index:State", `state-${index}`, within("Cluster", "dev")),
    state("aws:ebs/volume:Volume", `volume-${index}`, within("State", `state-${index}`)),
    state("fleetwright:index:Server", `server-${index}`, within("Cluster", "dev")),
    state("aws:ec2/instance:Instance", `instance-${index}`, {
      ...within("Server", `server-${index}`),
      dependencies: [urn("aws:ebs/volume:Volume", `volume-${index}`)],
    }),
  ]),
  state("command:remote:Command", "kubeconfig", {
    ...within("Server", "server-0"),
    dependencies: [urn("aws:ec2/instance:Instance", "instance-1")],
  }),
  state("fleetwright:index:Users", "users"),
  state("kubernetes:fleetwright.dev/v1:User", "jane", {
    ...within("Users", "users"),
    provider: `${PROVIDER}::04da6b54-80e4-46f7-96ec-b56ff0331ba9`,
    dependencies: [urn("aws:ebs/volume:Volume", "volume-0")],
  }),
  state("fleetwright:index:Plugins", "plugins"),
  state("fleetwright:index:Roles", "roles"),
];
const graph = componentGraph(readGraph({ deployment: { resources: states } }));

test("components of one type at one place are one box, with the resources that are theirs", () => {
  const shown = graph.boxes.map(({ path, count, resources }) => [path, count, Object.fromEntries(resources)]);
  expect(shown).toEqual([
    ["Cluster", 1, { LoadBalancer: 1 }],
    ["Cluster/Server", 2, { Instance: 2, Command: 1 }],
    ["Cluster/State", 2, { Volume: 2 }],
    ["Plugins", 1, {}],
    ["Provider of kubernetes", 0, { "Provider of kubernetes": 1 }],
    ["Roles", 1, {}],
    ["Users", 1, { User: 1 }],
  ]);
});

test("what is needed anyway is not said again", () => {
  expect(graph.needs).toEqual([
    ["Cluster/Server", "Cluster/State"],
    ["Provider of kubernetes", "Cluster/Server"],
    ["Users", "Provider of kubernetes"],
  ]);
});

test("a circle between two boxes keeps both of its arrows", () => {
  const circle = [
    state("fleetwright:index:A", "a"),
    state("fleetwright:index:B", "b"),
    state("t:i:X", "x", within("A", "a")),
    state("t:i:Y", "y", { ...within("B", "b"), dependencies: [urn("t:i:X", "x")] }),
    state("t:i:Z", "z", { ...within("A", "a"), dependencies: [urn("t:i:Y", "y")] }),
  ];
  const { needs } = componentGraph(readGraph({ steps: circle.map((newState) => ({ newState })) }));
  expect(needs).toEqual([
    ["A", "B"],
    ["B", "A"],
  ]);
});

test("the diagram has frames for components with components in them, and one box for what is empty alike", () => {
  expect(diagramOf(graph)).toBe(
    [
      "```mermaid",
      "flowchart TD",
      '  subgraph c_Cluster_frame["<b>Cluster</b>"]',
      '    c_Cluster["its own<br/>LoadBalancer"]',
      '    c_Cluster_Server["<b>Server</b> × 2<br/>Command, 2 Instance"]',
      '    c_Cluster_State["<b>State</b> × 2<br/>2 Volume"]',
      "  end",
      '  c_Plugins_Roles["<b>Plugins, Roles</b><br/>nothing yet"]',
      '  c_Provider_of_kubernetes["Provider of kubernetes<br/>of the program itself"]',
      '  c_Users["<b>Users</b><br/>User"]',
      "  c_Cluster_Server --> c_Cluster_State",
      "  c_Provider_of_kubernetes --> c_Cluster_Server",
      "  c_Users --> c_Provider_of_kubernetes",
      "```",
    ].join("\n"),
  );
});

test("what is neither a preview nor a state is an empty graph", () => {
  expect(componentGraph(readGraph({ steps: "none" }))).toEqual({ boxes: [], needs: [] });
});
