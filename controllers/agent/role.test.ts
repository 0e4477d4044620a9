import { CONTROLLERS } from "./controllers";
import { rolesOf } from "./role";

test("the agent may not read secrets, nor delete anything, nor create anything that stays but events", () => {
  const [{ rules }] = rolesOf(CONTROLLERS) as [ReturnType<typeof rolesOf>[number]];
  expect(JSON.stringify(rules)).not.toContain("*");
  expect(rules.flatMap(({ resources }) => resources)).not.toContain("secrets");
  const makes = rules.filter(({ verbs }) =>
    verbs.some((verb) => ["create", "update", "delete"].includes(verb)),
  );
  expect(makes.flatMap(({ resources }) => resources)).toEqual([
    "tokenreviews",
    "subjectaccessreviews",
    "events",
  ]);
});
