import { editDistance, nearest } from "./nearest";

test.each([
  ["", "", 0],
  ["plugins", "plugins", 0],
  ["pluginz", "plugins", 1],
  ["cuont", "count", 1],
  ["lables", "labels", 1],
  ["user", "users", 1],
  ["", "abc", 3],
  ["kitten", "sitting", 3],
])("%p is %p with %d steps", (from, to, steps) => {
  expect(editDistance(from, to)).toBe(steps);
  expect(editDistance(to, from)).toBe(steps);
});

test("a word that is near enough is meant, whatever its case", () => {
  expect(nearest("PluginZ", ["plugins", "users"])).toBe("plugins");
  expect(nearest("shoeSize", ["plugins", "users"])).toBeUndefined();
  expect(nearest("x", [])).toBeUndefined();
});
