import type { Property } from "./property";
import { satisfies } from "./property";

const cases: [string, Property, unknown, unknown, boolean][] = [
  ["equal texts", {}, "a", "a", true],
  ["different texts", {}, "a", "b", false],
  ["a number that was written as text", {}, "80", 80, true],
  ["nothing and an empty text", {}, undefined, "", true],
  ["nothing and an empty list", {}, [], undefined, true],
  ["false and nothing", {}, false, undefined, true],
  ["true and nothing", {}, true, undefined, false],
  ["what AWS adds inside", {}, { a: 1 }, { a: 1, b: 2 }, true],
  ["what is missing inside", {}, { a: 1, b: 2 }, { a: 1 }, false],
  ["a key that a map has too many", { map: true }, { a: "1" }, { a: "1", b: "2" }, false],
  ["a list in another order", {}, ["a", "b"], ["b", "a"], false],
  ["a set in another order", { set: true }, ["a", "b"], ["b", "a"], true],
  [
    "a set of objects in another order",
    { set: true },
    [{ k: 1 }, { k: 2 }],
    [
      { k: 2, x: 9 },
      { k: 1, x: 8 },
    ],
    true,
  ],
  ["a set with one item twice", { set: true }, ["a", "a"], ["a", "b"], false],
  ["JSON in another spelling", { json: true }, '{"a":1,"b":[2]}', '{ "b": 2, "a": 1 }', true],
  ["JSON with something more", { json: true }, '{"a":1}', '{"a":1,"b":2}', false],
  ["JSON that is none", { json: true }, "{", "{", true],
  [
    "values that the property brings to one form",
    { normal: (value) => String(value).toLowerCase() },
    "A",
    "a",
    true,
  ],
];

it.each(cases)("compares %s", (_what, property, wanted, found, expected) => {
  expect(satisfies(property, wanted, found)).toBe(expected);
});
