import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { CATALOGUE } from "./reference/catalogue";
import { PACKS } from "./core/exemptions-policy";
import { policies } from "./policies";

/** Files that define a policy, by the name that their path gives it. */
function definingFiles(): Map<string, string> {
  const found = new Map<string, string>();
  for (const pack of PACKS) {
    const folder = path.join(__dirname, pack);
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const text = readFileSync(path.join(folder, file), "utf8");
      if (/= define(Stack)?Policy\(/.test(text))
        found.set(`${pack}-${file.replace(/\.ts$/, "").replaceAll(path.sep, "-")}`, text);
    }
  }
  return found;
}

const files = definingFiles();
const own = policies.filter(({ name }) => !name.endsWith("-exemptions"));

it("has one policy a file, named by its path, and serves every one", () => {
  expect(own.map(({ name }) => name).sort()).toEqual([...files.keys()].sort());
  for (const [name, text] of files) expect(text).toContain(`name: "${name}"`);
});

it("has a policy that watches over the exemptions of each pack", () => {
  const names = policies.map(({ name }) => name).filter((name) => name.endsWith("-exemptions"));
  expect(names).toEqual(PACKS.map((pack) => `${pack}-exemptions`));
});

describe.each(policies.map((policy) => [policy.name, policy] as const))("%s", (_, policy) => {
  it("says what it wants, how bad it is, where it comes from and how to meet it", () => {
    expect(policy.description).toMatch(/^[A-Z].{15,160}\.$/);
    expect(policy.remediationSteps).toMatch(/\.$/);
    expect(["low", "medium", "high", "critical"]).toContain(policy.severity);
    expect(["MUST", "SHOULD", "MAY"]).toContain(policy.level);
    expect(policy.rules.length).toBeGreaterThan(0);
    // What no one else asks for is a rule of the product.
    if (!policy.rules.includes("product")) expect(policy.sources.length).toBeGreaterThan(0);
    expect(new Set(policy.sources).size).toBe(policy.sources.length);
  });

  it("names types as the engine does, and describes its settings", () => {
    expect(policy.types.length).toBeGreaterThan(0);
    for (const type of policy.types) expect(type).toMatch(/^[a-z]+:[\w./]+:[A-Z]\w+$/);
    for (const setting of Object.values(policy.settings)) expect(setting.description).toMatch(/\.$/);
  });
});

it("carries out every rule of the catalogue, and no other", () => {
  const carried = new Set(policies.flatMap(({ rules }) => rules));
  const numbers = [...carried].filter((rule) => rule !== "product");
  expect(numbers.sort((a, b) => a - b)).toEqual(CATALOGUE.map((_, index) => index + 1));
});

it("keeps to the level that the catalogue gives a rule", () => {
  const wrong = policies.flatMap((policy) =>
    policy.rules
      .filter((rule): rule is number => typeof rule === "number")
      .filter((rule) => CATALOGUE[rule - 1]?.level !== policy.level)
      .map((rule) => `${policy.name} is ${policy.level}, rule ${rule} is not`),
  );
  expect(wrong).toEqual([]);
});
