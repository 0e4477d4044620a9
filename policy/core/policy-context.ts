import { OWN_EXEMPTIONS } from "../product/own-exemptions";
import { type ConfigError, type Exemption, readExemptions } from "./exemption";
import { isRecord } from "./property";

/** What an evaluation depends on besides the resources: the policy section of the stack's config, and the date. */
export interface PolicyContext {
  /** The exemptions in the stack's config. */
  readonly exemptions: readonly Exemption[];
  /** The exemptions of our own components. */
  readonly ownExemptions: readonly Exemption[];
  /** Settings that were given, by policy. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What is wrong with the config. */
  readonly errors: readonly ConfigError[];
  /** What the stack is for, such as `prod`. */
  readonly environment: string;
  /** As `2026-11-17`. */
  readonly today: string;
}

/** The config namespace of the policies: `fleetwright-policy:exemptions` and so on. */
export const CONFIG_NAMESPACE = "fleetwright-policy";

/** The context of a stack, from its config. The environment defaults to the stack's name. */
export function policyContextOf(
  config: { exemptions?: unknown; settings?: unknown; environment?: unknown },
  stack: string,
  today = new Date().toISOString().slice(0, 10),
): PolicyContext {
  const settings = Object.entries(isRecord(config.settings) ? config.settings : {});
  const { exemptions, errors } = readExemptions(config.exemptions, today);
  const isInvalid = config.settings !== undefined && !isRecord(config.settings);
  return {
    exemptions,
    ownExemptions: OWN_EXEMPTIONS,
    errors: [
      ...errors,
      ...(isInvalid
        ? [
            {
              policy: "",
              message: "settings is not an object: use the policy's name as key, and its settings below",
            },
          ]
        : []),
      ...settings
        .filter(([, value]) => !isRecord(value))
        .map(([policy]) => ({ policy, message: `settings.${policy} is not an object: use name: value` })),
    ],
    settings: Object.fromEntries(
      settings.filter((entry): entry is [string, Record<string, unknown>] => isRecord(entry[1])),
    ),
    environment: typeof config.environment === "string" ? config.environment : stack,
    today,
  };
}
