import { mergedTags, splitTags, tagChanges } from "./tags";

const settings = {
  defaults: { project: "fleet", stage: "dev" },
  ignoredKeys: ["noise"],
  ignoredPrefixes: ["auto/"],
};

it("puts the resource's tags over the provider's", () => {
  expect(mergedTags(settings, { stage: "prod" })).toEqual({ project: "fleet", stage: "prod" });
});

it.each([
  [
    "those of the provider are not the resource's",
    { project: "fleet", a: "1" },
    {},
    { a: "1" },
    { project: "fleet", a: "1" },
  ],
  [
    "except where the program says the same",
    { project: "fleet" },
    { project: "fleet" },
    { project: "fleet" },
    { project: "fleet" },
  ],
  ["or somebody changed them", { project: "other" }, {}, { project: "other" }, { project: "other" }],
  ["AWS's own and ignored ones are not seen", { "aws:x": "1", noise: "2", "auto/y": "3" }, {}, {}, {}],
])("splits tags: %s", (_what, found, own, tags, tagsAll) => {
  expect(splitTags(settings, found, own)).toEqual({ tags, tagsAll });
});

it("changes only what differs", () => {
  expect(tagChanges({ a: "1", b: "2", c: "3" }, { a: "1", b: "9", d: "4" })).toEqual({
    set: { b: "9", d: "4" },
    remove: ["c"],
  });
});
