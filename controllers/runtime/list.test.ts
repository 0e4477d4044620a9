import { PageSize } from "./list";

const KB = 1024;

test.each<[string, [items: number, bytes: number][], number]>([
  ["begins with what it is given", [], 1000],
  [
    "stays there while the list is short",
    [
      [1000, 1000 * KB],
      [1000, 1000 * KB],
    ],
    1000,
  ],
  ["grows with what has come", [[12_000, 12_000 * KB]], 3000],
  ["never makes a page larger than 8 MB", [[200_000, 200_000 * KB]], 8192],
  ["shrinks where objects are large", [[1000, 1000 * 100 * KB]], 81],
  ["asks for one, however large", [[1, 20_000 * KB]], 1],
  ["begins again after an empty page", [[0, 200]], 1000],
])("a page's size %s", (_, pages, next) => {
  const size = new PageSize(1000);
  for (const [items, bytes] of pages) size.took(items, bytes);
  expect(size.next).toBe(next);
});
