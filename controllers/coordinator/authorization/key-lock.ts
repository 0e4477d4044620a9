// Lets one task at a time work for a key; others wait in the order in which they came.

/** A lock for each key. */
export class KeyLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs a task when all that came before it for the key have ended, however they ended. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const own = before.then(task, task);
    // Who comes after it wants to know that it ended, and not how.
    const ended = own.then(
      () => {},
      () => {},
    );
    this.#last.set(key, ended);
    void ended.then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    return own;
  }
}
