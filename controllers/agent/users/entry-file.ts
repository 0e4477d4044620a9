// Lines of files such as /etc/passwd: finds and replaces entries, leaves all else untouched.

/** The fields of a line of a file such as `/etc/passwd`. */
export function fieldsOf(line: string): string[] {
  return line.split(":");
}

/** The lines of a file that is made of entries. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Lines of a file by the name that each begins with: usually one; several if someone edited the file. */
export type EntryIndex = ReadonlyMap<string, readonly string[]>;

/** Reads a file once for all names: a search for each of a thousand names would read it a thousand times. */
export function entriesByName(text: string): EntryIndex {
  const found = new Map<string, string[]>();
  for (const line of linesOf(text)) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const name = line.slice(0, colon);
    const known = found.get(name);
    if (known === undefined) found.set(name, [line]);
    else known.push(line);
  }
  return found;
}

/** The numbers that stand in a field of all entries. */
export function numbersIn(text: string, field: number): Set<number> {
  const found = linesOf(text).map((line) => Number(fieldsOf(line)[field] ?? Number.NaN));
  return new Set(found.filter((number) => Number.isInteger(number)));
}

/**
 * The text with exactly these entries for these names: an entry stays where its name stood, doubles go, new ones come at
 * the end, and an undefined one goes. Every other line stays as it is, to the byte.
 */
export function withEntries(text: string, wanted: ReadonlyMap<string, string | undefined>): string {
  const open = new Map(wanted);
  const lines = linesOf(text).flatMap((line) => {
    const name = line.slice(0, Math.max(line.indexOf(":"), 0));
    if (name === "" || !wanted.has(name)) return [line];
    const entry = open.get(name);
    open.delete(name);
    return entry === undefined ? [] : [entry];
  });
  const added = [...open.values()].filter((entry) => entry !== undefined);
  // Lines with "+" and "-" ask a directory; what comes after "+" alone would not be looked at.
  const directory = lines.findIndex((line) => /^[+-]/.test(line));
  lines.splice(directory === -1 ? lines.length : directory, 0, ...added);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
