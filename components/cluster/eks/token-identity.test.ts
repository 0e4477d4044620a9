import { tokenIdentity } from "./token-identity";

const role = "arn:aws:iam::123456789012:role/deployer";

it("asks for a token as whoever the environment says, where the stack says nothing", () => {
  expect(tokenIdentity({})).toEqual({ args: ["--output", "json"], env: [] });
});

it("asks for a token with the stack's profile, and as its role", () => {
  expect(tokenIdentity({ profile: "acme", assumeRoles: [{ roleArn: role }] })).toEqual({
    args: ["--role-arn", role, "--output", "json"],
    env: [{ name: "AWS_PROFILE", value: "acme" }],
  });
});

it.each([
  ["names 2 roles", [{ roleArn: role }, { roleArn: role }]],
  ["has an external id", [{ roleArn: role, externalId: "x" }]],
])("says what to do where a role %s, which the CLI cannot follow", (what, assumeRoles) => {
  expect(() => tokenIdentity({ assumeRoles })).toThrow(
    new RegExp(`^aws:assumeRoles ${what}, and the AWS CLI.* set aws:profile to it instead`),
  );
});
