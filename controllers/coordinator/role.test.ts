import { CONTROLLERS } from "./controllers";
import { rolesOf } from "./role";

test("no rule of any controller has a wildcard", () => {
  expect(JSON.stringify(rolesOf(CONTROLLERS, "x").map(({ rules }) => rules))).not.toContain("*");
});
