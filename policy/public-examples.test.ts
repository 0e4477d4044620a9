import { resourcesOf } from "./cases";
import { Stack } from "./judge/resource";
import { surroundingsOf } from "./judge/surroundings";
import { judge } from "./judge/verdict";
import { policies } from "./policies";
import { PUBLIC_EXAMPLES } from "./public-examples";
import { Analysis } from "./sdk/analysis";

const around = surroundingsOf({}, "prod", "2026-11-17");

describe.each(PUBLIC_EXAMPLES.map((example) => [example.name, example] as const))(
  "%s",
  (_, { resources, stopped }) => {
    const all = resourcesOf(resources);

    it("is judged without an error, and stopped by what is wrong with it", async () => {
      const analysis = new Analysis(policies, around);
      const single = await Promise.all(all.map((resource) => analysis.resource(resource)));
      const found = [...single.flat(), ...(await analysis.stack(all))].filter(
        ({ isMandatory }) => isMandatory,
      );
      expect([...new Set(found.map(({ policy }) => policy))].sort()).toEqual([...stopped].sort());
    });

    it("is judged the same where the SDK is not asked", () => {
      const found = policies.flatMap((policy) => judge(policy, new Stack(all), around));
      const stops = found.filter(({ outcome, stops }) => outcome === "violation" && stops);
      expect([...new Set(stops.map(({ policy }) => policy))].sort()).toEqual([...stopped].sort());
    });

    it("shows no password", () => {
      const said = policies
        .flatMap((policy) => judge(policy, new Stack(all), around))
        .map(({ message }) => message);
      expect(said.join("\n")).not.toContain("not-ours-to-see");
    });
  },
);
