// Interns strings: equal strings become one in memory.

const LIMIT = 4096;

/** Gives one and the same string for equal ones, so that a text that stands in every object is kept once. */
export class StringPool {
  readonly #known = new Map<string, string>();

  /** The known string that equals this one. */
  of(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    // Texts that differ in every object would fill it for ever; what is worth keeping comes back at once.
    if (this.#known.size >= LIMIT) this.#known.clear();
    this.#known.set(text, text);
    return text;
  }
}
