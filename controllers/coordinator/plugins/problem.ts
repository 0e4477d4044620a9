/** Why a plugin, or one of its objects, is not as it should be: one word, and a sentence with the fix. */
export interface Problem {
  reason: string;
  message: string;
  /** Whether it may pass by itself soon, without anybody doing anything. */
  passing?: boolean;
}

/** Stops the work on a plugin. Never holds a secret. */
export class PluginError extends Error implements Problem {
  override readonly name = "PluginError";

  constructor(
    readonly reason: string,
    message: string,
    readonly passing = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
