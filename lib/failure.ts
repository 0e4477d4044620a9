/**
 * An error for a person: what happened and where, the value found, and the fix.
 * The command line prints its message without a stack.
 */
export class Failure extends Error {
  override readonly name = "Failure";
  /** What the process exits with; see {@link ExitCode}. */
  readonly exitCode: number;

  constructor(message: string, exitCode: number = ExitCode.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Exit codes of our commands, the same everywhere and documented in the README. */
export const ExitCode = {
  failed: 1,
  /** The command line was wrong: an unknown command, flag, tool or name. */
  usage: 2,
  /** Something that has to be installed is missing. */
  prerequisite: 3,
  /** A download is not what it should be: a wrong checksum, a corrupt archive. */
  integrity: 4,
  /** A registry or download site could not be reached. */
  network: 5,
  /** The disk is full. */
  diskFull: 6,
  interrupted: 130,
} as const;

/** The system error code of an unknown error, such as `ENOENT`. Errors from another realm (jest, vm) count too. */
export function errorCode(error: unknown): string | undefined {
  return hasText(error, "code") ? error.code : undefined;
}

/** The message of an unknown error: whatever was thrown, even what is no Error at all. */
export function errorMessage(error: unknown): string {
  if (hasText(error, "message")) return error.message;
  try {
    return String(error);
  } catch {
    return "something was thrown that cannot be shown";
  }
}

function hasText<Key extends string>(value: unknown, key: Key): value is Record<Key, string> {
  return (
    typeof value === "object" && value !== null && key in value && typeof Reflect.get(value, key) === "string"
  );
}
