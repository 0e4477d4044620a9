import {
  assetArchive,
  fileAsset,
  holdsUnknown,
  isArchive,
  isAsset,
  receive,
  send,
  textsIn,
  UNKNOWN,
} from "./wire";

const KEY = "4dabf18193072939515e22adb298388d";
const secret = (value: unknown) => ({ [KEY]: "1b47061264138c4ac30d75fd1eb44270", value });
const UNKNOWN_WIRE = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

test("secrets are taken out and remembered by the property that holds them, however deep", () => {
  const { values, secrets } = receive({
    plain: 1,
    whole: secret("a"),
    deep: { list: [{ inner: secret("b") }, "c"] },
    output: { [KEY]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", value: "d", secret: true, dependencies: [] },
    nothing: null,
  });
  expect(values).toEqual({ plain: 1, whole: "a", deep: { list: [{ inner: "b" }, "c"] }, output: "d" });
  expect([...secrets]).toEqual(["whole", "deep", "output"]);
  expect(textsIn(values, secrets)).toEqual(["a", "b", "c", "d"]);
});

test("what is unknown stays unknown in both directions", () => {
  const { values } = receive({
    a: UNKNOWN_WIRE,
    b: ["x", UNKNOWN_WIRE],
    c: secret(UNKNOWN_WIRE),
    d: "known",
  });
  expect(values).toEqual({ a: UNKNOWN, b: ["x", UNKNOWN], c: UNKNOWN, d: "known" });
  expect(["a", "b", "c", "d"].map((name) => holdsUnknown(values[name]))).toEqual([true, true, true, false]);
  expect(send(values, new Set(["c"]))).toEqual({
    a: UNKNOWN_WIRE,
    b: ["x", UNKNOWN_WIRE],
    c: secret(UNKNOWN_WIRE),
    d: "known",
  });
});

test("what is not there is not sent, and what cannot be sent is named", () => {
  expect(send({ a: undefined, b: null, c: { d: undefined, e: 1 } }, new Set(["a"]))).toEqual({ c: { e: 1 } });
  expect(() => send({ a: { b: [() => 1] } }, new Set())).toThrow("a.b[0] holds a function");
});

test("assets and archives survive the way through", () => {
  const file = fileAsset("/a", "hash");
  const archive = assetArchive({ "x/a": file }, "hash");
  expect([isAsset(file), isArchive(file), isAsset(archive), isArchive(archive)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
  expect(receive(send({ archive }, new Set())).values).toEqual({ archive });
});
