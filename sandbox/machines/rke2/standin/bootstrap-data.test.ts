import { bootstrapKey, bootstrapState, openShared, sealShared } from "./bootstrap-data";

const files = { "tls/server-ca.key": "a key", "tls/server-ca.crt": "a certificate" };

test("what was sealed with a token opens with it, and shows nothing without it", () => {
  const sealed = sealShared(files, "secret");
  expect(sealed).not.toContain("a key");
  expect(openShared(sealed, "secret")).toEqual(files);
  expect(() => openShared(sealed, "other")).toThrow("message authentication failed");
});

test("a datastore has nothing yet, or ours, or is refused as another token's", () => {
  expect(bootstrapState([], "secret")).toBe("absent");
  expect(bootstrapState([bootstrapKey("secret")], "secret")).toBe("ours");
  expect(() => bootstrapState([bootstrapKey("other")], "secret")).toThrow(
    "bootstrap data already found and encrypted with different token",
  );
});
