import { CASES as awsCases } from "./aws/testing/cases";
import { type Cases, type Example, resourcesOf } from "./testing/cases";
import { CASES as productCases } from "./product/testing/cases";
import type { Exemption } from "./core/exemption";
import type { Policy } from "./core/policy";
import { identityOf } from "./core/resource";
import { policyContextOf } from "./core/policy-context";
import { CASES as kubernetesCases } from "./kubernetes/testing/cases";
import { policies } from "./policies";
import { Analyzer, type Diagnostic } from "./testing/analyzer";

const CASES: Readonly<Record<string, Cases>> = { ...awsCases, ...kubernetesCases, ...productCases };
const TODAY = "2026-11-17";
const tested = policies.filter(({ name }) => !name.endsWith("-exemptions"));

/** Evaluates an example as production, through the SDK. */
async function evaluated(
  policy: Policy,
  example: Cases["passes"][number],
  exemptions: readonly Exemption[] = [],
): Promise<Diagnostic[]> {
  const analysis = new Analyzer([policy], policyContextOf({ exemptions }, "prod", TODAY));
  const examples = Array.isArray(example) ? (example as readonly Example[]) : [example as Example];
  const resources = resourcesOf(examples, policy.types[0]);
  if (policy.scope === "stack") return analysis.stack(resources);
  return (await Promise.all(resources.map((resource) => analysis.resource(resource)))).flat();
}

const isNotice = ({ message, isMandatory }: Diagnostic): boolean =>
  !isMandatory && /It (will be evaluated|cannot be evaluated)/.test(message);

it("has examples for every policy, and none for others", () => {
  expect(Object.keys(CASES).sort()).toEqual(tested.map(({ name }) => name).sort());
});

describe.each(tested.map((policy) => [policy.name, policy] as const))("%s", (name, policy) => {
  const cases = CASES[name] ?? { passes: [], fails: [], unknown: [] };

  it("lets pass what keeps to it", async () => {
    expect(cases.passes.length).toBeGreaterThan(0);
    for (const example of cases.passes) expect(await evaluated(policy, example)).toEqual([]);
  });

  it("finds what does not, and says where and what", async () => {
    expect(cases.fails.length).toBeGreaterThan(0);
    for (const [example, message] of cases.fails) {
      const found = (await evaluated(policy, example)).filter((diagnostic) => !isNotice(diagnostic));
      expect(found.map((one) => one.message).join("\n")).toContain(message);
      for (const one of found) {
        expect(one.isMandatory).toBe(policy.level === "MUST");
        expect(one.message).toContain(`${identityOf(one.urn).type} "${identityOf(one.urn).name}": `);
      }
    }
  });

  it("gives notice of what is not known yet, and neither passes nor fails it", async () => {
    expect(cases.unknown.length).toBeGreaterThan(0);
    for (const example of cases.unknown) {
      const found = await evaluated(policy, example);
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((diagnostic) => !isNotice(diagnostic))).toEqual([]);
    }
  });

  it("lets an exemption pass until its day, and no longer", async () => {
    for (const [example] of cases.fails) {
      const found = (await evaluated(policy, example)).filter((diagnostic) => !isNotice(diagnostic));
      const exempt = (expires: string): Exemption[] =>
        found.map(({ urn }) => {
          const { type, name: resource } = identityOf(urn);
          return { policy: name, resource: `${type}::${resource}`, reason: "for this test only", expires };
        });
      const still = await evaluated(policy, example, exempt(TODAY));
      expect(still.filter((diagnostic) => !isNotice(diagnostic))).toEqual([]);
      const over = await evaluated(policy, example, exempt("2026-11-16"));
      expect(over.filter((diagnostic) => !isNotice(diagnostic))).toHaveLength(found.length);
      expect(over.map(({ message }) => message).join("\n")).toContain("Its exemption expired on 2026-11-16.");
    }
  });
});
