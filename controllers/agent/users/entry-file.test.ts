import { entriesByName, withEntries } from "./entry-file";

test.each<[string, string, [string, string | undefined][], string]>([
  ["a new entry comes last", "root:x\n", [["ada", "ada:x"]], "root:x\nada:x\n"],
  ["an entry stays in its place", "ada:old\nroot:x\n", [["ada", "ada:new"]], "ada:new\nroot:x\n"],
  ["doubles go", "ada:1\nroot:x\nada:2\n", [["ada", "ada:1"]], "ada:1\nroot:x\n"],
  ["an entry goes", "ada:1\nroot:x\n", [["ada", undefined]], "root:x\n"],
  ["names that begin alike stay", "ada:1\nadam:2\n", [["ada", undefined]], "adam:2\n"],
  ["what is no entry stays", "# ada:1\n\nroot:x\n", [["ada", undefined]], "# ada:1\n\nroot:x\n"],
  ["directories stay last", "root:x\n+::::::\n", [["ada", "ada:x"]], "root:x\nada:x\n+::::::\n"],
  ["an end of line is added to the last", "root:x", [["ada", "ada:x"]], "root:x\nada:x\n"],
  ["an empty file", "", [["ada", "ada:x"]], "ada:x\n"],
])("%s", (_what, text, entries, wanted) => {
  expect(withEntries(text, new Map(entries))).toBe(wanted);
});

test("entries are found by their name: doubles together, comments and what is no entry not at all", () => {
  const found = entriesByName("ada:1\nadam:2\n# note\n\n:3\nada:4\n+ldap\nroot");
  expect([...found]).toEqual([
    ["ada", ["ada:1", "ada:4"]],
    ["adam", ["adam:2"]],
  ]);
});
