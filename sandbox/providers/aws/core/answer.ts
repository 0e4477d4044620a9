/** A part of an answer that AWS always gives, though its types leave it open. */
export function given<T>(value: T | null | undefined, what: string): T {
  if (value === undefined || value === null) throw new Error(`AWS answered without ${what}.`);
  return value;
}

/** A text, or nothing where it is empty: AWS refuses empty texts where the state keeps them. */
export function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
