import { substitute } from "./values";

const VALUES = { place: "here", count: "3", yes: "true", "a.b-c": "x", tricky: "${place} $1 $& a: [b]" };

test.each<[string, unknown, unknown]>([
  ["a text", "at ${place}", "at here"],
  ["several in one text", "${place}${place}, ${count}", "herehere, 3"],
  ["a number", "${count:int}", 3],
  ["a truth value", "${yes:bool}", true],
  ["a number as text", "${count}", "3"],
  ["a key with dots", "${a.b-c}", "x"],
  ["what two dollars keep", "$${place}", "${place}"],
  [
    "what looks like other languages' places",
    "$place $(place) {{ place }} $labels.x ${1}",
    "$place $(place) {{ place }} $labels.x ${1}",
  ],
  ["deep places", { a: [{ b: "${place}" }] }, { a: [{ b: "here" }] }],
  ["keys of maps, which stay", { "${place}": 1 }, { "${place}": 1 }],
  ["a value that is never read again", "${tricky}", "${place} $1 $& a: [b]"],
  ["what is no text", [1, null, true], [1, null, true]],
])("%s", (_what, manifest, filled) => {
  expect(substitute(manifest, VALUES)).toEqual(filled);
});

test.each<[string, string, string]>([
  ["a value that is missing", "${nobody}", "there is no value for nobody: add it to spec.values"],
  ["a value that every object has", "${constructor}", "there is no value for constructor"],
  ["a text where a number is wanted", "${place:int}", "the value of place is not a whole number"],
  ["a number where a truth value is wanted", "${count:bool}", "the value of count is not true or false"],
  ["a type within a text", "port ${count:int}", "only a whole one can become another type"],
])("%s is refused", (_what, manifest, says) => {
  expect(() => substitute({ a: manifest }, VALUES)).toThrow(says);
});
