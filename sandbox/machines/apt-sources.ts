/** A Debian archive that the host installs from. */
export interface AptSource {
  /** The base address of the archive. */
  uri: string;
  suites: string[];
  components: string[];
  /** The file of the keys that sign it, where the source names one. */
  keyring?: string;
}

/** Reads sources in the one-line form of `sources.list`. */
export function parseOneLineSources(text: string): AptSource[] {
  return text.split("\n").flatMap((line) => {
    const match = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*(.*)$/.exec(line.replace(/#.*$/, "").trim());
    const [, options = "", uri, suite, components = ""] = match ?? [];
    if (uri === undefined || suite === undefined) return [];
    return [source([uri], [suite], words(components), /(?:^|\s)signed-by=(\S+)/i.exec(options)?.[1])].flat();
  });
}

/** Reads sources in the paragraph form of `*.sources` (deb822). */
export function parseParagraphSources(text: string): AptSource[] {
  const lines = text.split("\n").filter((line) => !line.startsWith("#"));
  return lines
    .join("\n")
    .split(/\n\s*\n/)
    .flatMap((paragraph) => {
      const fields = new Map<string, string>();
      let key = "";
      for (const line of paragraph.split("\n")) {
        const field = /^([A-Za-z-]+):\s*(.*)$/.exec(line);
        if (field !== null) key = (field[1] ?? "").toLowerCase();
        const value = field === null ? line.trim() : (field[2] ?? "");
        if (key !== "") fields.set(key, `${fields.get(key) ?? ""} ${value}`.trim());
      }
      const list = (name: string): string[] => words(fields.get(name) ?? "");
      if (!list("types").includes("deb") || fields.get("enabled") === "no") return [];
      return source(list("uris"), list("suites"), list("components"), fields.get("signed-by"));
    });
}

/** The archive of a release's own packages, not of its updates. */
export function sourceOf(sources: readonly AptSource[], release: string): AptSource | undefined {
  return sources.find(({ suites, components }) => suites.includes(release) && components.includes("main"));
}

function source(uris: string[], suites: string[], components: string[], keyring?: string): AptSource[] {
  // A key may also stand in the source itself, as an armored block: then the host's own keyring has to do.
  const file = keyring?.startsWith("/") === true ? { keyring } : {};
  return uris.map((uri) => ({ uri, suites, components, ...file }));
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
