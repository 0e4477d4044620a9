import { anything, choice, flag, isOf, list, mapOf, memberFailures, shape, text, wholeNumber } from "./kind";
import { UNKNOWN } from "./wire";

test.each([
  [text, "a", true],
  [text, 1, false],
  [flag, false, true],
  [flag, "false", false],
  [wholeNumber(1, 3), 3, true],
  [wholeNumber(1, 3), 4, false],
  [wholeNumber(), 1.5, false],
  [choice("a", "b"), "b", true],
  [choice("a", "b"), "c", false],
  [list(text), ["a", UNKNOWN], true],
  [list(text), ["a", 1], false],
  [list(text), "a", false],
  [mapOf(text), { a: "b" }, true],
  [mapOf(text), { a: 1 }, false],
  [mapOf(text), ["a"], false],
  [anything, Symbol.iterator, true],
  [text, UNKNOWN, true],
])("%# %j %s", (kind, value, fits) => {
  expect(isOf<unknown>(kind, value)).toBe(fits);
});

test("problems tell the path, what is wanted and what was found, but never the text of a value", () => {
  const person = shape<{ name: string; tags?: string[] }>({
    name: { kind: text, required: true },
    tags: { kind: list(text) },
  });
  const problems = memberFailures(
    { owner: { kind: person }, count: { kind: wholeNumber(0) } },
    { owner: { tags: ["x", 5], nmae: "secret" }, count: -1, extra: "secret" },
  );
  expect(problems.map(({ property, reason }) => `${property} ${reason}`)).toEqual([
    'extra there is no property "extra" here; known are owner, count',
    'owner.nmae there is no property "nmae" here; known are name, tags',
    "owner.name is required: a string",
    "owner.tags[1] must be a string, but is 5",
    "count must be a whole number of at least 0, but is -1",
  ]);
});
