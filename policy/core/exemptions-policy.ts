import { isExpired } from "./exemption";
import { defineStackPolicy, type Policy } from "./policy";
import { fits } from "./settings";

/** The packs; a policy's name begins with that of its pack. */
export const PACKS = ["aws", "kubernetes", "product"] as const;
export type PackName = (typeof PACKS)[number];

/** Adds to a pack the policy that checks the exemptions and settings for it in the stack's config. */
export function withExemptionsPolicy(pack: PackName, policies: readonly Policy[]): readonly Policy[] {
  const known = new Map(policies.map((policy) => [policy.name, policy]));
  /** Each pack checks what concerns its own policies; every pack checks names that belong to none. */
  const isOurs = (name: string): boolean =>
    name.startsWith(`${pack}-`) || !PACKS.some((other) => name.startsWith(`${other}-`));
  const exemptionsPolicy = defineStackPolicy({
    name: `${pack}-exemptions`,
    description: "Exemptions and settings are valid, name existing policies and have not expired.",
    level: "MUST",
    severity: "high",
    sources: [],
    rules: ["product"],
    remediationSteps:
      "Correct or remove the entry in fleetwright-policy:exemptions or fleetwright-policy:settings in the stack's config.",
    types: ["pulumi:pulumi:Stack"],
    check({ stack, context, reportViolation }) {
      const root = stack.of("pulumi:pulumi:Stack")[0];
      const report = (what: string, fix: string): void => reportViolation(root, "", what, fix);
      for (const { policy, message } of context.errors)
        if (isOurs(policy)) report(message, "The entry is ignored until it is corrected.");
      for (const exemption of context.exemptions.filter(({ policy }) => isOurs(policy))) {
        const { policy, resource, expires } = exemption;
        const entry = `the exemption of ${resource} from ${policy}`;
        if (!known.has(policy))
          report(`${entry} names a policy that does not exist`, "Correct or remove it.");
        else if (isExpired(exemption, context.today))
          report(
            `${entry} expired on ${expires ?? ""}`,
            "Fix the resource and remove the exemption, or extend it.",
          );
      }
      for (const [name, given] of Object.entries(context.settings).filter(([name]) => isOurs(name))) {
        const schema = known.get(name)?.settings ?? {};
        for (const [key, value] of Object.entries(given)) {
          const setting = schema[key];
          if (setting === undefined)
            report(
              `settings.${name} has an unknown key ${key}`,
              `Known keys: ${Object.keys(schema).join(", ") || "none"}.`,
            );
          else if (!fits(setting, value))
            report(
              `settings.${name}.${key} is ${JSON.stringify(value)}`,
              `Use ${setting.type === "array" ? "a list of strings" : `a ${setting.type}`}.`,
            );
        }
      }
    },
  });
  return [...policies, exemptionsPolicy];
}
