/** The value of a command line flag: a list is joined by commas, undefined leaves the flag out. */
export type FlagValue = string | number | boolean | readonly string[] | undefined;

/** Renders flags as `--name=value`, the form that every component understands for every type. */
export function renderFlags(flags: Readonly<Record<string, FlagValue>>): string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${flagText(value)}`],
  );
}

function flagText(value: Exclude<FlagValue, undefined>): string {
  return typeof value === "object" ? value.join(",") : String(value);
}
