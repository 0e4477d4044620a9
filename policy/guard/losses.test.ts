import { lossesIn, parsePreview, sortLosses } from "./losses";

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
])("finds the loss of %s", (_, steps, names) => {
  expect(lossesIn(steps).map(({ name }) => name)).toEqual(names);
});

test.each([
  ["an instance that is replaced: its state is on a volume", [{ op: "replace", urn: INSTANCE }]],
  ["a volume that is created", [{ op: "create", urn: VOLUME }]],
  ["a volume that grows", [{ op: "update", urn: VOLUME }]],
  ["a volume that stays", [{ op: "same", urn: VOLUME }]],
  [
    "an address that is no server's",
    [{ op: "delete", urn: urn("aws:ec2/networkInterface:NetworkInterface", "nat") }],
  ],
])("finds no loss for %s", (_, steps) => {
  expect(lossesIn(steps)).toEqual([]);
});

test("what is allowed by its name or URN may go, and nothing else", () => {
  const losses = lossesIn([VOLUME, ADDRESS].map((each) => ({ op: "delete", urn: each })));
  const sorted = sortLosses(losses, ["main-0-volume", "main-9-volume"]);
  expect(sorted.denied.map(({ name }) => name)).toEqual(["main-0-interface"]);
  expect(sorted.allowed.map(({ name }) => name)).toEqual(["main-0-volume"]);
  expect(sorted.unused).toEqual(["main-9-volume"]);
  expect(sortLosses(losses, [VOLUME, ADDRESS]).denied).toEqual([]);
});

test.each([
  ["what is not JSON", "Previewing update (staging):"],
  ["JSON without steps", "{}"],
  [
    "a preview that failed",
    JSON.stringify({ steps: [], diagnostics: [{ severity: "error", message: "no" }] }),
  ],
  ["a step without a name", JSON.stringify({ steps: [{ op: "same" }] })],
])("does not take %s for a preview", (_, text) => {
  expect(() => parsePreview(text)).toThrow();
});
