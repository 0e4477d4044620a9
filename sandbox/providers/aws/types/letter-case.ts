import { isRecord, isList } from "../core/value";

/** Nested properties with the names that EC2 has for them: the same, but with a capital letter. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function pascal<T>(value: unknown, names: Readonly<Record<string, string>> = {}): T {
  const convert = (part: unknown): unknown => {
    if (isList(part)) return part.map(convert);
    if (!isRecord(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [
        names[key] ?? key.charAt(0).toUpperCase() + key.slice(1),
        convert(item),
      ]),
    );
  };
  // The names are the same in Pulumi and AWS but for their first letter; AWS refuses what it does not know.
  return convert(value) as T;
}

/** The way back. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function camel<T>(value: unknown, names: Readonly<Record<string, string>> = {}): T {
  const back = Object.fromEntries(Object.entries(names).map(([ours, theirs]) => [theirs, ours]));
  const convert = (part: unknown): unknown => {
    if (isList(part)) return part.map(convert);
    if (!isRecord(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [
        back[key] ?? key.charAt(0).toLowerCase() + key.slice(1),
        convert(item),
      ]),
    );
  };
  return convert(value) as T;
}
