import { alignColumns } from "./columns";

it("makes each column as wide as its longest cell", () => {
  const rows = [
    ["NAME", "SINCE"],
    ["ada-lovelace", "yesterday"],
  ];
  expect(alignColumns(rows)).toEqual(["NAME          SINCE", "ada-lovelace  yesterday"]);
});

it("ends no line with spaces, whatever is missing or empty", () => {
  expect(alignColumns([["a", "long"], ["b", ""], ["c"], []], " | ")).toEqual(["a | long", "b |", "c", ""]);
});

it("takes rows of any length", () => {
  expect(alignColumns([["a"], ["bb", "c", "d"]])).toEqual(["a", "bb  c  d"]);
  expect(alignColumns([])).toEqual([]);
});
