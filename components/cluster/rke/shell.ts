/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Shell lines that set variables; the names are ours, the values may be anything but secrets. */
export function assignments(values: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${shellWord(String(value))}\n`)
    .join("");
}

/** A script of its variables and parts. It ends at the first error, at an unset variable and at a broken pipe. */
export function script(
  values: Readonly<Record<string, string | number | boolean>>,
  ...parts: readonly string[]
): string {
  return `set -euo pipefail\n${assignments(values)}${parts.join("\n")}`;
}

/**
 * A command line that runs a script as root. The script stands in the process list of the node, so it never holds a
 * secret: those come by its standard input.
 */
export function asRoot(text: string): string {
  return `exec sudo -n -- /bin/bash -c ${shellWord(text)}`;
}
