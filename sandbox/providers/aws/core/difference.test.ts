import type { AwsResource } from "./declaration";
import { difference } from "./difference";
import type { Property } from "./property";
import { UNKNOWN } from "./value";
import type { Values } from "./value";

const tags = { defaults: { project: "fleet" }, ignoredKeys: [], ignoredPrefixes: [] };

function thing(properties: Record<string, Property>, more: Partial<AwsResource> = {}): AwsResource {
  const never = (): never => {
    throw new Error("A difference asks nobody.");
  };
  return { token: "aws:test/thing:Thing", properties, create: never, read: never, delete: never, ...more };
}

const compare = (resource: AwsResource, olds: Values, news: Values, ignore: string[] = []) =>
  difference(resource, { olds, oldInputs: {}, news, ignore }, { region: "eu-central-1", tags });

const cases: [string, Property, unknown, unknown, { changed: boolean; replaces: boolean }][] = [
  ["nothing", {}, "a", "a", { changed: false, replaces: false }],
  ["an update", {}, "a", "b", { changed: true, replaces: false }],
  ["a replacement", { replaces: true }, "a", "b", { changed: true, replaces: true }],
  ["a value that is not known yet", { replaces: true }, "a", UNKNOWN, { changed: true, replaces: true }],
  ["something unknown deep inside", {}, { a: ["x"] }, { a: [UNKNOWN] }, { changed: true, replaces: false }],
  ["a value that was taken away", {}, "a", undefined, { changed: true, replaces: false }],
  ["a value that AWS chose", { computed: true }, "a", undefined, { changed: false, replaces: false }],
  ["false that was never asked for", {}, false, undefined, { changed: false, replaces: false }],
  ["something inside that AWS added", {}, { a: 1, b: 2 }, { a: 1 }, { changed: false, replaces: false }],
  [
    "something inside that was taken away",
    { exact: true },
    { a: 1, b: 2 },
    { a: 1 },
    { changed: true, replaces: false },
  ],
];

it.each(cases)("sees %s", (_what, property, old, wanted, expected) => {
  const { changed, replaces } = compare(thing({ value: property }), { value: old }, { value: wanted });
  expect({ changed: changed.includes("value"), replaces: replaces.includes("value") }).toEqual(expected);
});

it("leaves out what the program says to ignore, whatever it is about inside", () => {
  expect(
    compare(thing({ value: {} }), { value: { a: 1 } }, { value: { a: 2 } }, ["value.a"]).changed,
  ).toEqual([]);
});

it("replaces when the region is another one", () => {
  expect(compare(thing({}), { region: "eu-west-1" }, {}).replaces).toEqual(["region"]);
  expect(compare(thing({}), { region: "eu-west-1" }, { region: "eu-west-1" }).replaces).toEqual([]);
  expect(compare(thing({}, { global: true }), { region: "eu-west-1" }, {}).replaces).toEqual([]);
});

it("sees tags of the resource and of the provider", () => {
  const tagging = { set: async () => {}, remove: async () => {} };
  const tagged = thing({}, { tagging });
  expect(
    compare(tagged, { tags: { a: "1" }, tagsAll: { a: "1", project: "fleet" } }, { tags: { a: "1" } })
      .changed,
  ).toEqual([]);
  expect(compare(tagged, { tags: { a: "1" }, tagsAll: { a: "1" } }, { tags: { a: "1" } }).changed).toEqual([
    "tagsAll",
  ]);
  expect(compare(tagged, { tags: { a: "1" }, tagsAll: { a: "1", project: "fleet" } }, {}).changed).toEqual([
    "tags",
    "tagsAll",
  ]);
});

it("deletes first what has a name of the program's own", () => {
  const named = thing(
    { name: { replaces: true }, kind: { replaces: true } },
    { name: { property: "name", maxLength: 64 } },
  );
  const olds = { name: "mine", kind: "a" };
  expect(compare(named, olds, { name: "mine", kind: "b", __defaults: [] }).deleteBeforeReplace).toBe(true);
  expect(compare(named, olds, { name: "mine", kind: "b", __defaults: ["name"] }).deleteBeforeReplace).toBe(
    false,
  );
  expect(compare(named, olds, { name: "mine", kind: "a", __defaults: [] }).deleteBeforeReplace).toBe(false);
});
