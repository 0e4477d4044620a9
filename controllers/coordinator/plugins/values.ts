import { isRecord } from "./manifest";
import { InstallError } from "./install-error";

/** What stands for the places in manifests. */
export type Values = Readonly<Record<string, string>>;

const PLACEHOLDER = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_.-]{0,62})(?::(int|bool))?\}/g;
const WHOLE = /^\$\{([A-Za-z_][A-Za-z0-9_.-]{0,62}):(int|bool)\}$/;

/**
 * Puts values into the texts of manifests. Only after they were parsed: a value can never become more than the text, the
 * number or the truth value that stands in its place. Keys of maps are left alone.
 */
export function substitute<T>(manifests: T, values: Values): T {
  const missing = new Set<string>();
  const wrong = new Set<string>();
  const valueOf = (key: string): string => {
    if (Object.hasOwn(values, key)) return values[key] ?? "";
    missing.add(key);
    return "";
  };
  const typed = (key: string, type: string): unknown => {
    const text = valueOf(key);
    if (missing.has(key)) return text;
    if (type === "bool" && (text === "true" || text === "false")) return text === "true";
    const number = Number(text);
    if (type === "int" && /^-?[0-9]{1,15}$/.test(text)) return number;
    // Not the value itself: it may come out of a Secret.
    wrong.add(`the value of ${key} is not ${type === "int" ? "a whole number" : "true or false"}`);
    return text;
  };
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") {
      const [, key, type] = WHOLE.exec(value) ?? [];
      if (key !== undefined && type !== undefined) return typed(key, type);
      return value.replace(PLACEHOLDER, (place, name: string | undefined, within: string | undefined) => {
        if (name === undefined) return "${";
        if (within !== undefined)
          wrong.add(`${place} stands within a text: only a whole one can become another type`);
        return valueOf(name);
      });
    }
    if (Array.isArray(value)) return value.map(fill);
    return isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)]))
      : value;
  };
  const filled = fill(manifests);
  const problems = [
    ...(missing.size === 0
      ? []
      : [`there is no value for ${[...missing].sort().join(", ")}: add it to spec.values`]),
    ...wrong,
  ];
  if (problems.length > 0)
    throw new InstallError("ValuesInvalid", `The values do not fit the manifests: ${problems.join("; ")}.`);
  // The shape is the one that went in; only texts became texts, numbers and truth values.
  return filled as T;
}
