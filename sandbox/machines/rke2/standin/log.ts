/** How much a line matters. */
export type Level = "debug" | "info" | "warning" | "error" | "fatal";

let debugging = false;

/** Shows or hides lines for those who look for a fault. */
export function setDebug(on: boolean): void {
  debugging = on;
}

/** Writes a line to the journal in the form of RKE2's. */
export function log(level: Level, message: string): void {
  if (level === "debug" && !debugging) return;
  const time = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  process.stderr.write(`time="${time}" level=${level} msg=${JSON.stringify(message)}\n`);
}
