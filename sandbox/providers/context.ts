import type { Values } from "./wire";

/** Tells the person at the terminal something, beside the resource it is about. */
export interface Log {
  /** A line of progress that the next one replaces. */
  readonly status: (message: string) => void;
  readonly info: (message: string) => void;
  readonly warning: (message: string) => void;
}

/** What surrounds one call of the engine. */
export interface Context {
  /** The resource's name in the program, or the function's token. */
  readonly name: string;
  /** Ends when the person cancels, the timeout of the resource has passed, or the engine is gone. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** The provider's settings. */
  readonly config: Values;
  /** Every text that came as a secret, so that messages can leave it out. */
  readonly secretTexts: readonly string[];
  /** The properties that came as, or hold, a secret. */
  readonly secretNames: ReadonlySet<string>;
}

const SHORTEST_SECRET = 3;

/** Takes every secret out of a text that a person will see. */
export function redact(message: string, secretTexts: readonly string[]): string {
  // The longest first: a secret may be part of another.
  const wanted = secretTexts.filter((secret) => secret.trim().length >= SHORTEST_SECRET);
  return wanted
    .sort((one, other) => other.length - one.length)
    .reduce(
      (shown, secret) => shown.replaceAll(secret, "[secret]").replaceAll(secret.trim(), "[secret]"),
      message,
    );
}
