// Times as they are written to status and annotations, in RFC 3339.

/** A time in whole seconds, as Kubernetes writes its own. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A time in milliseconds, where the order of two events within a second matters. */
export function preciseTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
