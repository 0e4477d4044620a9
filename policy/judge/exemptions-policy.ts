import { isExpired } from "./exemption";
import { defineStackPolicy, type Policy } from "./policy";
import { identityOf } from "./resource";
import { fits, isLike } from "./settings";

/** The packs; the name of a policy begins with that of its pack. */
export const PACKS = ["aws", "kubernetes", "fleet"] as const;
export type PackName = (typeof PACKS)[number];

/** Adds to the policies of a pack the one that watches over its exemptions and settings. */
export function withExemptionsPolicy(pack: PackName, policies: readonly Policy[]): readonly Policy[] {
  const known = new Map(policies.map((policy) => [policy.name, policy]));
  /** Each pack speaks of its own policies; of names that belong to none, each that is there. */
  const isOurs = (name: string): boolean =>
    name.startsWith(`${pack}-`) || !PACKS.some((other) => name.startsWith(`${other}-`));
  const guard = defineStackPolicy({
    name: `${pack}-exemptions`,
    description: "Exemptions and settings can be read, are about policies that exist, and are not over.",
    level: "MUST",
    severity: "high",
    sources: [],
    rules: ["product"],
    steps:
      "Mend or remove the entry in fleetwright-policy:exemptions or fleetwright-policy:settings of the stack's config.",
    types: ["pulumi:pulumi:Stack"],
    check({ stack, around, refuse }) {
      const root = stack.of("pulumi:pulumi:Stack")[0];
      for (const { policy, problem } of around.problems) {
        if (isOurs(policy)) refuse(root, "", problem, "Until then it exempts and sets nothing.");
      }
      for (const exemption of around.exemptions.filter(({ policy }) => isOurs(policy))) {
        const { policy, resource, expires } = exemption;
        const entry = `the exemption of ${resource} from ${policy}`;
        if (!known.has(policy)) {
          refuse(
            root,
            "",
            `${entry} is about a policy that does not exist`,
            "Correct its name, or remove it.",
          );
        } else if (isExpired(exemption, around.today)) {
          refuse(
            root,
            "",
            `${entry} ended on ${expires}`,
            "Meet the policy and remove it, or give it another day.",
          );
        }
      }
      for (const [name, given] of Object.entries(around.settings).filter(([name]) => isOurs(name))) {
        const schema = known.get(name)?.settings;
        for (const [key, value] of Object.entries(given)) {
          const setting = schema?.[key];
          if (setting === undefined || !fits(setting, value)) {
            const wanted =
              setting === undefined ? Object.keys(schema ?? {}).join(", ") || "none" : setting.type;
            refuse(
              root,
              "",
              `the setting ${key} of ${name} is not one of its own, or of another type`,
              `It takes: ${wanted}.`,
            );
          }
        }
      }
    },
  });
  return [...policies, guard];
}

/** Whether an exemption is about a resource that is there; one that is not can go. */
export function concerns(resource: string, urns: readonly string[]): boolean {
  const [wantedType = "", ...wantedName] = resource.split("::");
  return urns
    .map(identityOf)
    .some(({ type, name }) => type === wantedType && isLike(name, [wantedName.join("::")]));
}
