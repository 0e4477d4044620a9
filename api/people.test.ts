import { accountName, GRANT_PREFIX } from "./people";

const long = "a".repeat(200);
const longer = `${long}b`;
const names = [
  "jane",
  "default",
  "grant-00",
  "user-jane",
  "long-user-x",
  "a.b",
  "a".repeat(58),
  "a".repeat(59),
  long,
  longer,
];

test.each([
  ["jane", "user-jane"],
  ["jane.doe", "user-jane.doe"],
  ["default", "user-default"],
])("the account of %s is %s", (user, account) => {
  expect(accountName(user)).toBe(account);
});

test("no two Users have the same account, not even when one has the name of the other's account", () => {
  const first = names.map(accountName);
  const all = [...names, ...first, ...first.map(accountName)];
  const users = [...new Set(all)];
  expect(new Set(users.map(accountName)).size).toBe(users.length);
});

test("every account can be named by a label, and none is Kubernetes' own or a grant's", () => {
  for (const account of names.map(accountName)) {
    expect(account).toMatch(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/);
    expect(account).not.toBe("default");
    expect(account.startsWith(GRANT_PREFIX)).toBe(false);
  }
});
