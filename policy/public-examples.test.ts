import { resourcesOf } from "./testing/cases";
import { Stack } from "./core/resource";
import { policyContextOf } from "./core/policy-context";
import { evaluate } from "./core/evaluation";
import { policies } from "./policies";
import { PUBLIC_EXAMPLES } from "./testing/public-examples";
import { Analyzer } from "./testing/analyzer";

const context = policyContextOf({}, "prod", "2026-11-17");

describe.each(PUBLIC_EXAMPLES.map((example) => [example.name, example] as const))(
  "%s",
  (_, { resources, stopped }) => {
    const all = resourcesOf(resources);

    it("is evaluated without an error, and blocked by what is wrong with it", async () => {
      const analysis = new Analyzer(policies, context);
      const single = await Promise.all(all.map((resource) => analysis.resource(resource)));
      const found = [...single.flat(), ...(await analysis.stack(all))].filter(
        ({ isMandatory }) => isMandatory,
      );
      expect([...new Set(found.map(({ policy }) => policy))].sort()).toEqual([...stopped].sort());
    });

    it("is evaluated the same where the SDK is not asked", () => {
      const found = policies.flatMap((policy) => evaluate(policy, new Stack(all), context));
      const blocking = found.filter(({ outcome, blocks }) => outcome === "violation" && blocks);
      expect([...new Set(blocking.map(({ policy }) => policy))].sort()).toEqual([...stopped].sort());
    });

    it("shows no password", () => {
      const said = policies
        .flatMap((policy) => evaluate(policy, new Stack(all), context))
        .map(({ message }) => message);
      expect(said.join("\n")).not.toContain("not-ours-to-see");
    });
  },
);
