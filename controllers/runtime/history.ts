/**
 * Whether an API server's history is still the one that was seen. A server that was restored from a backup may have gone
 * past a reflector's place by the time that this one asks: then only what another noticed tells it that its cache is
 * of a history that is no more.
 */
export class History {
  #epoch = 0;
  readonly #listeners = new Set<() => void>();

  /** Grows each time the server went back. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Tells all who follow this server that it went back. What was noticed in an earlier epoch is known already. */
  wentBack(since: number): void {
    if (since !== this.#epoch) return;
    this.#epoch++;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls back each time the server went back, until the function given back is called. */
  onWentBack(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
