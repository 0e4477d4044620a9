import { observedText } from "./observed";

test("equal statuses are the same text, whatever the order of their keys", () => {
  expect(observedText({ b: 1, a: { d: 2, c: 3 } }, 100)).toEqual({
    text: '{"a":{"c":3,"d":2},"b":1}',
    isTruncated: false,
  });
  expect(observedText(undefined, 100)).toEqual({ text: "", isTruncated: false });
});

test("of a status that is too long the largest fields go first", () => {
  const status = { replicas: 3, conditions: [{ message: "m".repeat(50) }], log: "x".repeat(200) };
  expect(observedText(status, 100)).toEqual({
    text: `{"conditions":[{"message":"${"m".repeat(50)}"}],"replicas":3}`,
    isTruncated: true,
  });
  expect(observedText({ log: "x".repeat(200) }, 100)).toEqual({ text: "{}", isTruncated: true });
});
