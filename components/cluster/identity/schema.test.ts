import { ClusterKind } from "../args";
import { identityProblems } from "./schema";

const oidc = {
  issuer: "https://login.example.com/realms/acme",
  clientId: "kubernetes",
  usernameClaim: "preferred_username",
};

test("a provider needs an issuer, a client and a claim with the name, and nothing else", () => {
  expect(identityProblems({ oidc })).toEqual([]);
  expect(identityProblems({})).toEqual([]);
  expect(identityProblems({ oidc: {} }).map(({ path }) => path)).toEqual([
    "oidc.issuer",
    "oidc.clientId",
    "oidc.usernameClaim",
  ]);
});

test.each([
  ["an issuer without TLS", { issuer: "http://login.example.com" }, "oidc.issuer", "use the https address"],
  ["an issuer with a user", { issuer: "https://a:b@example.com" }, "oidc.issuer", "without a user"],
  ["an issuer with a query", { issuer: "https://example.com?a=b" }, "oidc.issuer", "without a user"],
  ["no address", { issuer: "example.com" }, "oidc.issuer", "use the https address"],
  [
    "the cluster's own issuer",
    { issuer: "https://kubernetes.default.svc.cluster.local" },
    "oidc.issuer",
    "the cluster itself signs",
  ],
  ["a client with a space", { clientId: "a b" }, "oidc.clientId", "without spaces"],
  ["addresses as names", { usernameClaim: "email" }, "oidc.usernameClaim", 'has no "@"'],
  ["an empty claim for groups", { groupsClaim: "" }, "oidc.groupsClaim", "use the name of a claim"],
  ["what is no certificate", { ca: "hello" }, "oidc.ca", "use a certificate in PEM"],
  ["a required claim that is a number", { requiredClaims: { level: 3 } }, "oidc.requiredClaims.level", "3"],
  ["an unknown key", { clientID: "x" }, "oidc.clientID", "clientId"],
])("%s is refused with the fix", (_, change, path, says) => {
  const problems = identityProblems({ oidc: { ...oidc, ...change } });
  expect(problems).toEqual([{ path, message: expect.stringContaining(says) as string }]);
});

test.each([
  [ClusterKind.Rke, {}, ["oidc"]],
  [ClusterKind.Rke2, {}, []],
  [ClusterKind.Hosted, {}, []],
])("a cluster of kind %s says what it cannot do", (kind, change, paths) => {
  expect(identityProblems({ oidc: { ...oidc, ...change } }, kind).map(({ path }) => path)).toEqual(paths);
});
