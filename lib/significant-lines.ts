import { parseJson, textAt } from "./json";

const MAX_LENGTH = 400;
const SERIOUS = new Set(["error", "ERROR", "fatal", "FATAL", "panic", "PANIC", "dpanic"]);

/**
 * The last lines of a component's log that say what went wrong; without such lines, simply the last ones.
 * Knows klog (E…, F…), etcd's and kwok's JSON, and the plain text of a failed start.
 */
export function significantLines(log: string, count: number): string[] {
  const lines = log.split("\n").filter((line) => line.trim() !== "");
  const serious = lines.filter(isSerious);
  const chosen = serious.length > 0 ? serious : lines;
  return chosen
    .slice(-count)
    .map((line) => (line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line));
}

function isSerious(line: string): boolean {
  if (line.startsWith("{")) return SERIOUS.has(textAt(parseJson(line), "level") ?? "");
  return /^[EF]\d{4} /.test(line) || /^(?:error|fatal|panic|setpriv|failed)\b/i.test(line);
}
