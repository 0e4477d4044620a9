/** Lets work on the same thing happen one after another, and work on different things at once. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work on `key`. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => {});
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return mine;
  }
}
