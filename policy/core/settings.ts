/** A setting of a policy. */
export type SettingSchema =
  | { readonly type: "number"; readonly default: number; readonly description: string }
  | { readonly type: "string"; readonly default: string; readonly description: string }
  | {
      readonly type: "array";
      readonly items: { readonly type: "string" };
      readonly default: readonly string[];
      readonly description: string;
    };

/** The settings of a policy by name. */
export type SettingsSchema = Readonly<Record<string, SettingSchema>>;

/** The values of settings. */
export type SettingsOf<S extends SettingsSchema> = {
  readonly [Name in keyof S]: S[Name]["type"] extends "number"
    ? number
    : S[Name]["type"] extends "string"
      ? string
      : readonly string[];
};

/** Whether a value is of a setting's type. */
export function fits(schema: SettingSchema, value: unknown): boolean {
  return schema.type === "array"
    ? Array.isArray(value) && value.every((member) => typeof member === "string")
    : typeof value === schema.type;
}

/** The values of a policy's settings: those given, and otherwise the defaults. A value of the wrong type is ignored. */
export function settingsOf<S extends SettingsSchema>(
  schema: SettingsSchema,
  given: Readonly<Record<string, unknown>>,
): SettingsOf<S> {
  const values = Object.entries(schema).map(([name, setting]) => [
    name,
    fits(setting, given[name]) ? given[name] : setting.default,
  ]);
  // The schema is what makes the names and types of the result; the compiler cannot follow it through the entries.
  return Object.fromEntries(values) as SettingsOf<S>;
}

/** Whether a text matches one of some patterns, in which `*` matches anything. */
export function isLike(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`, "s").test(text),
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
