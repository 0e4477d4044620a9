/** Why a plugin or one of its objects could not be installed: a reason in one word, and a sentence with the fix. */
export interface InstallFailure {
  reason: string;
  message: string;
  /** Whether it may resolve by itself soon. */
  transient?: boolean;
}

/** Stops the work on a plugin. Never holds a secret. */
export class InstallError extends Error implements InstallFailure {
  override readonly name = "InstallError";

  constructor(
    readonly reason: string,
    message: string,
    readonly transient = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
