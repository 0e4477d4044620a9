// Reads code and message of an error of unknown type.

/** The system error code of an unknown error, such as `ECONNRESET`. */
export function errorCode(error: unknown): string | undefined {
  const code = fieldOf(error, "code");
  return typeof code === "string" ? code : undefined;
}

/** The message of an unknown error: whatever was thrown, even what is no Error at all. */
export function errorMessage(error: unknown): string {
  const message = fieldOf(error, "message");
  if (typeof message === "string") return message;
  try {
    return String(error);
  } catch {
    return "something was thrown that cannot be shown";
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
