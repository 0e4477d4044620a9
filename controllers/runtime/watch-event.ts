// The lines of a watch as typed events.

/** One line of a watch. */
export interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: object;
}

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** Reads a line of a watch; undefined for what is no event. */
export function parseEvent(line: string): WatchEvent | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== "object" || parsed === null || !("type" in parsed) || !("object" in parsed))
      return undefined;
    const { type, object } = parsed;
    return isEventType(type) && typeof object === "object" && object !== null ? { type, object } : undefined;
  } catch {
    return undefined;
  }
}

function isEventType(type: unknown): type is WatchEvent["type"] {
  return (
    type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK" || type === "ERROR"
  );
}

/** The version of the object of an event. */
export function versionOf(object: object): string | undefined {
  const version = fieldOf(fieldOf(object, "metadata"), "resourceVersion");
  return typeof version === "string" ? version : undefined;
}

/** Whether an event says that a list that came as events is now whole. */
export function endsInitialEvents({ type, object }: WatchEvent): boolean {
  const annotations = fieldOf(fieldOf(object, "metadata"), "annotations");
  return type === "BOOKMARK" && fieldOf(annotations, INITIAL_EVENTS_END) === "true";
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
