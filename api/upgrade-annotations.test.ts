import { ORDER_ANNOTATION, orderOn, REPORT_ANNOTATION, reportOn } from "./upgrade-annotations";

const node = (key: string, value: unknown): Parameters<typeof orderOn>[0] => ({
  metadata: {
    name: "node-0",
    annotations: { [key]: typeof value === "string" ? value : JSON.stringify(value) },
  },
});
const order = { name: "up", uid: "u", what: "run" };
const report = { uid: "u", attempt: 1, exitCode: 0, output: "ok", installer: "Succeeded" };

test.each<[string, unknown, unknown]>([
  ["one that is well", order, order],
  ["none in what is no JSON", "{", undefined],
  ["none in what is no object", "7", undefined],
  ["none without a uid", { ...order, uid: undefined }, undefined],
  ["none with a uid that is a path", { ...order, uid: "../x" }, undefined],
  ["none with another word", { ...order, what: "rm" }, undefined],
  ["none with a name that is too long", { ...order, name: "x".repeat(254) }, undefined],
])("an order is read: %s", (_, value, found) => {
  expect(orderOn(node(ORDER_ANNOTATION, value))).toEqual(found);
});

test.each<[string, unknown, unknown]>([
  ["one that is well", report, report],
  ["none in what is no JSON", "nonsense", undefined],
  ["none without a uid", { attempt: 1 }, undefined],
  [
    "without what status would not take",
    { uid: "u", attempt: -1, exitCode: 256, output: "x".repeat(4097), installer: "Odd", installerMessage: 7 },
    { uid: "u" },
  ],
])("a report is read: %s", (_, value, found) => {
  expect(reportOn(node(REPORT_ANNOTATION, value))).toEqual(found);
});

test("a node without either has neither", () => {
  expect(orderOn(undefined)).toBeUndefined();
  expect(reportOn({ metadata: { name: "node-0" } })).toBeUndefined();
});
