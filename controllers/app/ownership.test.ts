import { difference } from "./ownership";

const base = { metadata: { name: "a", labels: { ours: "1", theirs: "2" } }, data: { a: "1" } };

test.each([
  ["nothing differs", { metadata: { name: "a", labels: { ours: "1" } }, data: { a: "1" } }, undefined],
  [
    "a label is missing",
    { metadata: { name: "a", labels: { more: "1" } } },
    { metadata: { labels: { more: "1" } } },
  ],
  [
    "a label has another value",
    { metadata: { name: "a", labels: { ours: "9" } } },
    { metadata: { labels: { ours: "9" } } },
  ],
  [
    "a key of a map is to go",
    { metadata: { name: "a" }, data: { b: "2" } },
    { metadata: {}, data: { a: null, b: "2" } },
  ],
  ["a field is to go", { metadata: { name: "a" }, data: undefined }, { metadata: {}, data: null }],
  ["an empty list is kept as nothing", { metadata: { name: "a" }, rules: [] }, undefined],
  ["a list differs", { metadata: { name: "a" }, rules: [1] }, { metadata: {}, rules: [1] }],
])("when %s", (_what, wanted, patch) => {
  expect(difference(wanted, base)).toEqual(patch);
});

test("an owner is added beside the others and takes the place of the one before", () => {
  const owner = (name: string, uid: string): object => ({ apiVersion: "v1", kind: "Namespace", name, uid });
  const with_ = (...ownerReferences: object[]): never =>
    ({ metadata: { name: "a", ownerReferences } }) as never;
  expect(difference(with_(owner("us", "2")), with_(owner("them", "7"), owner("us", "1")))).toEqual({
    metadata: { ownerReferences: [owner("them", "7"), owner("us", "2")] },
  });
  expect(difference(with_(owner("us", "2")), with_(owner("us", "2")))).toBeUndefined();
});
