/** Follows a path into a JSON value of unknown shape; undefined where it ends early. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((here, key) => {
    if (Array.isArray(here)) return typeof key === "number" ? here[key] : undefined;
    return isObject(here) ? here[key] : undefined;
  }, value);
}

/** The string at a path, or undefined. */
export function textAt(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/** The number at a path, or undefined. */
export function numberAt(value: unknown, ...path: (string | number)[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === "number" ? found : undefined;
}

/** The array at a path, or an empty one. */
export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
