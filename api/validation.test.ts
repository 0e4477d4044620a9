import { API_VERSION, KIND_NAMES, KINDS } from ".";
import { CASES, changed, validSpecs } from "./cases";

describe.each(KIND_NAMES)("%s", (name) => {
  const kind = KINDS[name];
  const { base, malformed } = CASES[name];
  const object = (spec: unknown): object => ({
    apiVersion: API_VERSION,
    kind: name,
    metadata: { name: "subject" },
    spec,
  });

  test("has at least 30 malformed objects, each with a title of its own", () => {
    const titles = new Set(malformed.map(({ it, at }) => `${at}: ${it}`));
    expect(titles.size).toBe(malformed.length);
    expect(malformed.length).toBeGreaterThanOrEqual(30);
  });

  test.each(validSpecs(CASES[name]))("accepts %s", (_, spec) => {
    expect(kind.validate(object(spec))).toMatchObject({ ok: true });
  });

  test.each(malformed.map((row) => [`${row.at}: ${row.it}`, row] as const))("refuses %s", (_, row) => {
    const verdict = kind.validate(changed(object(base), row.set));
    expect(verdict.ok ? "accepted" : verdict.problems).toContainEqual({
      path: row.at,
      message: expect.stringContaining(row.says) as unknown,
    });
  });
});
