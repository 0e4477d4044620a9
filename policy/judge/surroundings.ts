import { type Exemption, readExemptions } from "./exemption";
import { isRecord } from "./property";

/** What of the world around a stack judgements depend on. */
export interface Surroundings {
  readonly exemptions: readonly Exemption[];
  /** Settings that were given, by the policy's name. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What in the config cannot be read, by the policy that it is about. */
  readonly problems: readonly { readonly policy: string; readonly problem: string }[];
  /** What the stack is for, such as `prod`. */
  readonly environment: string;
  /** As `2026-11-17`. */
  readonly today: string;
}

/** The namespace of the config that is for the policies: `fleetwright-policy:exemptions` and so on. */
export const NAMESPACE = "fleetwright-policy";

/** Reads what a stack says to the policies in its config; without a word about its environment, its name is that. */
export function surroundingsOf(
  given: { exemptions?: unknown; settings?: unknown; environment?: unknown },
  stack: string,
  today = new Date().toISOString().slice(0, 10),
): Surroundings {
  const settings = Object.entries(isRecord(given.settings) ? given.settings : {});
  const { exemptions, problems } = readExemptions(given.exemptions, today);
  const shapeless =
    given.settings === undefined || isRecord(given.settings)
      ? []
      : [
          {
            policy: "",
            problem: "the settings are not an object: write the policy's name, and name: value below it",
          },
        ];
  const unread = settings
    .filter(([, value]) => !isRecord(value))
    .map(([policy]) => ({
      policy,
      problem: `the settings of ${policy} are not an object: write name: value`,
    }));
  return {
    exemptions,
    problems: [...problems, ...shapeless, ...unread],
    settings: Object.fromEntries(
      settings.filter((entry): entry is [string, Record<string, unknown>] => isRecord(entry[1])),
    ),
    environment: typeof given.environment === "string" ? given.environment : stack,
    today,
  };
}
