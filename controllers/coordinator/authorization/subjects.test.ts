import { subjectsOf, type People, type Person } from "./subjects";

const jane: Person = { name: "jane", account: "user-jane" };
const max: Person = { name: "max", account: undefined };
const people: People = {
  person: (name) => [jane, max].find((person) => person.name === name),
  members: (team) => (team === "platform" ? [max, jane] : []),
};
const apiGroup = "rbac.authorization.k8s.io";
const group = (name: string): object => ({ apiGroup, kind: "Group", name });
const user = (name: string): object => ({ apiGroup, kind: "User", name });
const account = (name: string): object => ({ kind: "ServiceAccount", name, namespace: "fleetwright-users" });

test.each([
  [
    "a person by every name",
    { user: "jane" },
    [user("jane"), user("fleetwright.dev/user:jane"), account("user-jane")],
  ],
  [
    "one whose tokens were revoked without the account",
    { user: "max" },
    [user("max"), user("fleetwright.dev/user:max")],
  ],
  ["one who is no User only by that name", { user: "eve@example.com" }, [user("eve@example.com")]],
  [
    "a team with all its members, in one order",
    { team: "platform" },
    [
      group("fleetwright.dev/team:platform"),
      user("fleetwright.dev/user:jane"),
      account("user-jane"),
      user("fleetwright.dev/user:max"),
    ],
  ],
  ["a team without members", { team: "nobody" }, [group("fleetwright.dev/team:nobody")]],
])("a binding names %s", (_, spec, subjects) => {
  expect(subjectsOf({ role: "viewer", ...spec }, people)).toEqual(subjects);
});
