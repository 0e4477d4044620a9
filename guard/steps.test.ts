import { dangersIn, parsePreview, weigh } from "./steps";

const urn = (types: string, name: string): string => `urn:pulumi:staging::fleetwright::${types}::${name}`;
const VOLUME = urn(
  "fleetwright:index:Cluster$fleetwright:index:StateVolume$aws:ebs/volume:Volume",
  "main-0-volume",
);
const ADDRESS = urn(
  "fleetwright:index:StateVolume$aws:ec2/networkInterface:NetworkInterface",
  "main-0-interface",
);
const INSTANCE = urn("fleetwright:index:Server$aws:ec2/instance:Instance", "main-0");

test.each([
  ["a state volume that is replaced", [{ op: "replace", urn: VOLUME }], ["main-0-volume"]],
  ["a state volume that is deleted", [{ op: "delete", urn: VOLUME }], ["main-0-volume"]],
  ["the address of a server", [{ op: "delete-replaced", urn: ADDRESS }], ["main-0-interface"]],
  ["an EKS cluster", [{ op: "replace", urn: urn("aws:eks/cluster:Cluster", "prod") }], ["prod"]],
  [
    "one resource in the three steps of a replacement",
    ["create-replacement", "replace", "delete-replaced"].map((op) => ({ op, urn: VOLUME })),
    ["main-0-volume"],
  ],
])("sees the danger for %s", (_, steps, names) => {
  expect(dangersIn(steps).map(({ name }) => name)).toEqual(names);
});

test.each([
  ["a machine that is replaced: its state is elsewhere", [{ op: "replace", urn: INSTANCE }]],
  ["a volume that is made", [{ op: "create", urn: VOLUME }]],
  ["a volume that grows", [{ op: "update", urn: VOLUME }]],
  ["a volume that stays", [{ op: "same", urn: VOLUME }]],
  [
    "an address that is no server's",
    [{ op: "delete", urn: urn("aws:ec2/networkInterface:NetworkInterface", "nat") }],
  ],
])("sees none for %s", (_, steps) => {
  expect(dangersIn(steps)).toEqual([]);
});

test("what is allowed by its name or URN may go, and nothing else", () => {
  const dangers = dangersIn([VOLUME, ADDRESS].map((each) => ({ op: "delete", urn: each })));
  const weighed = weigh(dangers, ["main-0-volume", "main-9-volume"]);
  expect(weighed.refused.map(({ name }) => name)).toEqual(["main-0-interface"]);
  expect(weighed.accepted.map(({ name }) => name)).toEqual(["main-0-volume"]);
  expect(weighed.unused).toEqual(["main-9-volume"]);
  expect(weigh(dangers, [VOLUME, ADDRESS]).refused).toEqual([]);
});

test.each([
  ["what is no JSON", "Previewing update (staging):"],
  ["JSON without steps", "{}"],
  [
    "a preview that failed",
    JSON.stringify({ steps: [], diagnostics: [{ severity: "error", message: "no" }] }),
  ],
  ["a step without a name", JSON.stringify({ steps: [{ op: "same" }] })],
])("does not take %s for a preview", (_, text) => {
  expect(() => parsePreview(text)).toThrow();
});
