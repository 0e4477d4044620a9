import { caHash, checkAuthority, formatToken, parseToken } from "./token";

const HASH = "a".repeat(64);

test.each([
  ["secret", { password: "secret" }],
  [" secret\n", { password: "secret" }],
  [`K10${HASH}::server:secret`, { caHash: HASH, user: "server", password: "secret" }],
  [`K10${HASH}::node:with:colon`, { caHash: HASH, user: "node", password: "with:colon" }],
  ["K10::server:secret", { user: "server", password: "secret" }],
])("reads %j", (text, token) => expect(parseToken(text)).toEqual(token));

test.each([
  ["", "token must not be empty"],
  ["K10abc::server:secret", "invalid token CA hash length"],
  [`K10${HASH}::server`, "invalid token format"],
  [`K10${HASH}::server:`, "invalid token format"],
  ["K10nothing", "invalid token format"],
])("refuses %j: %s", (text, message) => expect(() => parseToken(text)).toThrow(message));

test("the full form is read back and holds the digest of the authority's file", () => {
  const token = parseToken(formatToken("PEM\n", "server", "secret"));
  expect(token).toEqual({ caHash: caHash("PEM\n"), user: "server", password: "secret" });
  expect(() => checkAuthority(token, "PEM\n")).not.toThrow();
  expect(() => checkAuthority(token, "other\n")).toThrow(
    "token CA hash does not match the Cluster CA certificate hash",
  );
  expect(() => checkAuthority({ password: "secret" }, "any")).not.toThrow();
});
