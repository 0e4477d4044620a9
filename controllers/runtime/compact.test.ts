import { compactor } from "./compact";
import { StringPool } from "./string-pool";

const SECRETS = { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true };

test("an object out of a list gets its type and says otherwise what it said", () => {
  const item = {
    metadata: { name: "a", namespace: "b", creationTimestamp: "2026-11-16T05:53:11Z", labels: { app: "x" } },
  };
  const copy = structuredClone(item);
  expect(compactor(SECRETS)(item)).toEqual({ apiVersion: "v1", kind: "Secret", ...copy });
});

test("an object that says another type keeps it", () => {
  const item = { apiVersion: "v2", kind: "Other", metadata: { name: "a" } };
  expect(compactor(SECRETS)(item)).toEqual({ apiVersion: "v2", kind: "Other", metadata: { name: "a" } });
});

test("labels with the names of built-in properties stay what they are", () => {
  const item = {
    metadata: {
      name: "a",
      labels: JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>,
    },
  };
  expect(JSON.stringify(compactor(SECRETS)(item).metadata.labels)).toBe(
    '{"__proto__":"x","constructor":"y"}',
  );
});

test("a pool gives back what it was given, also after more texts than it keeps", () => {
  const pool = new StringPool();
  for (let index = 0; index < 10_000; index++) expect(pool.of(`text ${index}`)).toBe(`text ${index}`);
});
