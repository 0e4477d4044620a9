import { anyKind, API_VERSION, HUB_KIND_NAMES, KIND_NAMES, specProblems } from ".";
import { CASES, changed, validSpecs } from "./testing/cases";

describe.each([...KIND_NAMES, ...HUB_KIND_NAMES])("%s", (name) => {
  const kind = anyKind(name);
  const { base, malformed, names } = CASES[name];
  const object = (spec: unknown): object => ({
    apiVersion: API_VERSION,
    kind: name,
    metadata: { name: names?.("subject") ?? "subject" },
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

test("problems of a spec are at the path that the user wrote, in their messages too", () => {
  const at = "fleetwright:nodeLabels.cluster[0]";
  expect(specProblems("ClusterLabel", { key: "", value: "b", color: "red" }, at)).toEqual([
    { path: `${at}.key`, message: `Invalid value: "": ${at}.key in body should be at least 1 chars long` },
    { path: `${at}.key`, message: expect.stringContaining("without prefix") as unknown },
    { path: `${at}.color`, message: `unknown field "${at}.color": remove it or correct its name` },
  ]);
  expect(specProblems("ClusterLabel", "a=b", at)).toEqual([
    { path: at, message: `Invalid value: "string": ${at} in body must be of type object: "string"` },
  ]);
  expect(specProblems("ClusterLabel", { key: "a", value: "b" }, at)).toEqual([]);
});
