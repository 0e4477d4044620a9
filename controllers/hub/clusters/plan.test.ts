import type { ClusterObject } from "../kinds";
import {
  conditionsOf,
  firstSeen,
  heartbeatSeconds,
  isHubCutOff,
  lostSince,
  reportOf,
  type Facts,
} from "./plan";

test.each([
  [1, 10],
  [1000, 10],
  [1001, 11],
  [5000, 50],
])("of %d clusters each says every %d s that it lives", (clusters, seconds) => {
  expect(heartbeatSeconds(clusters)).toBe(seconds);
});

test("a cluster is lost after three heartbeats that did not come, by our own clock", () => {
  const seen = { renewTime: "whatever", at: 1000 };
  expect(lostSince(seen, 10, 30_999)).toBeUndefined();
  expect(lostSince(seen, 10, 31_000)).toBe(31_000);
  expect(lostSince(undefined, 10, 99_000)).toBeUndefined();
});

test("a process that has just begun does not take the last heartbeat of a lost cluster for a new one", () => {
  expect(lostSince(firstSeen("whatever", true, 10, 50_000), 10, 50_000)).toBe(50_000);
  expect(lostSince(firstSeen("whatever", false, 10, 50_000), 10, 79_999)).toBeUndefined();
});

const lost = (count: number, of: number, at = 1000): (number | undefined)[] =>
  Array.from({ length: of }, (_, index) => (index < count ? at : undefined));

test.each([
  ["one of one", lost(1, 1), false],
  ["one of two", lost(1, 2), false],
  ["two of two", lost(2, 2), true],
  ["one of three", lost(1, 3), false],
  ["two of three", lost(2, 3), true],
  ["three of nine, which is a third and not over it", lost(3, 9), false],
  ["four of nine", lost(4, 9), true],
  ["four of nine, but long one after another", [1000, 101_000, 201_000, 301_000, ...lost(0, 5)], false],
])("when %s are lost, the hub is cut off: %#", (_what, all, expected) => {
  expect(isHubCutOff(1000, all, 10)).toBe(expected);
});

const cluster = (spec: object = {}): ClusterObject =>
  ({
    metadata: { name: "east" },
    spec: { connection: { mode: "pull" }, accepted: true, drain: false, ...spec },
  }) as ClusterObject;
const report = { problems: [], synced: [], orphans: [] };
const well: Facts = {
  report,
  hasBeaten: true,
  isLost: false,
  isHubCutOff: false,
  shares: { applied: 2, total: 2 },
  incompatible: [],
  imports: 3,
};

test.each([
  [
    "all is well",
    cluster(),
    well,
    {
      Ready: "True Synced",
      Reachable: "True Heartbeat",
      Accepted: "True Accepted",
      APIsCompatible: "True Compatible",
      Draining: "False NotDraining",
    },
  ],
  [
    "not accepted",
    cluster({ accepted: false }),
    well,
    { Ready: "False NotAccepted", Accepted: "False NotAccepted" },
  ],
  [
    "never heard",
    cluster(),
    { ...well, hasBeaten: false, report: undefined },
    { Ready: "Unknown NeverHeard", Reachable: "Unknown NeverHeard" },
  ],
  [
    "lost",
    cluster(),
    { ...well, isLost: true },
    { Ready: "False HeartbeatLost", Reachable: "False HeartbeatLost" },
  ],
  [
    "lost with the hub",
    cluster(),
    { ...well, isLost: true, isHubCutOff: true },
    { Ready: "Unknown HubCutOff", Reachable: "Unknown HubCutOff" },
  ],
  [
    "a member that never answered",
    cluster({ connection: { mode: "push" } }),
    { ...well, hasBeaten: false, report: { ...report, unanswered: "no route" } },
    { Ready: "Unknown NeverHeard", Reachable: "Unknown NeverHeard" },
  ],
  [
    "a syncer with a problem",
    cluster(),
    { ...well, report: { ...report, problems: ["x"] } },
    { Ready: "False SyncerNotReady", Reachable: "True Heartbeat" },
  ],
  [
    "a kind that does not fit",
    cluster(),
    { ...well, incompatible: ["a.v1.b"] },
    { APIsCompatible: "False Incompatible", Ready: "True Synced" },
  ],
  ["nothing imported", cluster(), { ...well, imports: 0 }, { APIsCompatible: "Unknown NothingImported" }],
  ["draining", cluster({ drain: true }), well, { Draining: "True Draining" }],
  [
    "drained",
    cluster({ drain: true }),
    { ...well, shares: { applied: 0, total: 0 } },
    { Draining: "False Drained" },
  ],
])("%s", (_what, object, facts, expected) => {
  const found = conditionsOf(object, facts);
  const said = Object.entries(found).map(([type, { status, reason }]) => [type, `${status} ${reason}`]);
  expect(Object.fromEntries(said)).toMatchObject(expected);
});

test("of a report only what has the right form is taken", () => {
  expect(reportOf("no JSON")).toBeUndefined();
  expect(reportOf("x".repeat(70_000))).toBeUndefined();
  const hostile = {
    version: 7,
    nodes: { ready: -1, total: "x" },
    capacity: { cpu: "4", "a b": "<script>" },
    problems: "none",
    synced: [1, "a.v1.b"],
    certificateExpires: "soon",
  };
  expect(reportOf(JSON.stringify(hostile))).toEqual({
    problems: ["Its report cannot be read."],
    capacity: { cpu: "4" },
    synced: ["a.v1.b"],
    orphans: [],
  });
});
