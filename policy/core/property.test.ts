import { type Finding, Property, SECRET_KEY, SECRET_MARK } from "./property";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const secret = (value: unknown) => ({ [SECRET_KEY]: SECRET_MARK, plaintext: JSON.stringify(value) });

function evaluated(properties: object, check: (root: Property) => void): Finding[] {
  const findings: Finding[] = [];
  const root = Property.root("urn", properties, findings);
  root.attempt(() => check(root));
  return findings;
}

it.each<[string, unknown, string]>([
  ["a text", "m5.large", '"m5.large"'],
  ["a long text", "x".repeat(200), `"${"x".repeat(80)}…"`],
  ["a number", 3, "3"],
  ["nothing", undefined, "not set"],
  ["null", null, "not set"],
  ["a list", [1, 2], "a list of 2"],
  ["an object", { a: 1 }, "an object"],
  ["a secret", secret("hush"), "[secret]"],
  ["what is inside a secret", secret({ inner: "hush" }), "[secret]"],
])("shows %s", (_, value, shown) => {
  const [finding] = evaluated({ value }, (root) => root.at("value").reportViolation("fix"));
  expect(finding).toMatchObject({ kind: "violation", property: "value", found: shown });
});

it.each(["userData", "dbPassword", "spec.authToken", "clientSecret"])("never shows %s", (path) => {
  const [finding] = evaluated({ [path]: "hush" }, (root) => root.at(path).reportViolation("fix"));
  expect(finding?.found).toBe("[not shown]");
});

it("evaluates what is known of a list although something in it is not", () => {
  const findings = evaluated({ list: [{ a: UNKNOWN }, { a: 1 }] }, (root) =>
    root.at("list").each((member) => {
      if (member.at("a").number() === 1) member.at("a").reportViolation("fix");
    }),
  );
  expect(findings.map(({ kind, property }) => [kind, property])).toEqual([
    ["unknown", "list[0].a"],
    ["violation", "list[1].a"],
  ]);
});

it("takes what is inside something unknown for unknown", () => {
  const findings = evaluated({ outer: UNKNOWN }, (root) => {
    if (!root.at("outer", "inner").isSet) root.reportViolation("this must not be reached");
  });
  expect(findings).toMatchObject([{ kind: "unknown", property: "outer", found: "is not known yet" }]);
});

it("does not evaluate a secret of which only the cipher text is there", () => {
  const findings = evaluated({ value: { [SECRET_KEY]: SECRET_MARK, ciphertext: "v1:abc" } }, (root) => {
    if (root.at("value").text() !== "x") root.reportViolation("this must not be reached");
  });
  expect(findings).toMatchObject([{ kind: "unknown", found: "is a secret that cannot be read here" }]);
});
