/** Lets one piece of work through at a time, in the order of arrival. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work when everything before it is done, however that ended. */
  pass<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
