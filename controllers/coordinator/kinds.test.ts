import { KINDS } from "../../api";
import { PLURALS } from "../../api/names";

test("each kind has the plural by which the API serves it", () => {
  const served = Object.entries(KINDS).map(([name, { plural }]) => [name, plural]);
  expect(PLURALS).toEqual(Object.fromEntries(served));
});
