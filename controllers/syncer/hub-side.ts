// Tells failures of the hub from those of the member: only the latter say anything about the member.
import { errorMessage, isOutage } from "../runtime";

/** The hub gave no answer, or one that says that it does not work. Nothing is known of the member by that. */
export class HubOutageError extends Error {
  override readonly name = "HubOutageError";
}

/** What is asked of the hub in the course of the work for the member. */
export class HubSide {
  #failure: string | undefined;

  /** Why the hub did not answer the last time that it was asked; undefined if it did. */
  get problem(): string | undefined {
    return this.#failure;
  }

  /** Asks the hub something; throws a {@link HubOutageError} if it is the hub that does not work. */
  async ask<T>(call: () => Promise<T>): Promise<T> {
    try {
      const answer = await call();
      this.#failure = undefined;
      return answer;
    } catch (error) {
      if (!isOutage(error)) throw error;
      this.#failure = errorMessage(error);
      throw new HubOutageError(`The hub does not answer: ${this.#failure}`, { cause: error });
    }
  }
}
