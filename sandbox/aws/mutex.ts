/** Runs one piece of work at a time, in the order of arrival. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work when everything before it is done, however that ended. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
