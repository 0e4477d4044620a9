import type { Values } from "./wire";

/** Lines for the person at the terminal, shown beside the resource that they are about. */
export interface Log {
  /** A line of progress that the next one replaces. */
  readonly status: (message: string) => void;
  readonly info: (message: string) => void;
  readonly warning: (message: string) => void;
  readonly error: (message: string) => void;
}

/** The context of one operation that the engine asks for. */
export interface Context {
  /** The resource's URN; empty for a function. */
  readonly urn: string;
  /** The resource's name in the program, or the function's token. */
  readonly name: string;
  /** Ends when the person cancels, the timeout of the resource has passed, or the engine is gone. */
  readonly signal: AbortSignal;
  /** The resource's timeout, after which the signal ends; 0 where it has none. */
  readonly timeoutSeconds: number;
  readonly log: Log;
  /** The provider's settings. */
  readonly config: Values;
  /** Every text that came as a secret, so that messages can leave it out. */
  readonly secretTexts: readonly string[];
  /** The properties that came as, or hold, a secret. */
  readonly secretNames: ReadonlySet<string>;
}

const MIN_SECRET_LENGTH = 3;

/** Takes every secret, also as JSON or base64 has it, out of a text that a person will see. */
export function redact(message: string, secretTexts: readonly string[]): string {
  const forms = secretTexts
    .filter((secret) => secret.trim().length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [
      secret,
      secret.trim(),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString("base64"),
    ]);
  // The longest first: a secret may be part of another.
  return [...new Set(forms)]
    .sort((one, other) => other.length - one.length)
    .reduce((shown, form) => shown.replaceAll(form, "[secret]"), message);
}
