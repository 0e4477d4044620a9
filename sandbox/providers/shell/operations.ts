/** Why an operation's signal ended: the timeout of its resource. */
export class OperationTimeout extends Error {
  constructor(seconds: number) {
    super(`the timeout of ${seconds} s has passed`);
  }
}

/** The work that a provider has in hand, so that all of it can be ended at once. */
export class Operations {
  private readonly stop = new AbortController();
  private readonly running = new Set<Promise<unknown>>();

  /** Runs work under a signal that ends after `timeoutSeconds` (0: never) or with {@link cancel}. */
  async run<T>(timeoutSeconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.stop.signal.throwIfAborted();
    const limit = new AbortController();
    const timer =
      timeoutSeconds > 0
        ? setTimeout(() => limit.abort(new OperationTimeout(timeoutSeconds)), timeoutSeconds * 1000)
        : undefined;
    const operation = work(AbortSignal.any([this.stop.signal, limit.signal]));
    this.running.add(operation);
    try {
      return await operation;
    } finally {
      clearTimeout(timer);
      this.running.delete(operation);
    }
  }

  /** Ends what runs and refuses what comes. */
  cancel(why: string): void {
    this.stop.abort(new Error(why));
  }

  /** Waits until nothing runs any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.running);
  }
}
