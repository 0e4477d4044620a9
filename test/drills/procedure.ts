import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(__dirname, "..", "..", "docs", "how-to", "clusters.md");

/** The scripts below a heading of the page for people who work on clusters, in their order: drills run what people read. */
export function procedure(heading: string): string[] {
  const [, section] =
    readFileSync(PAGE, "utf8")
      .split(/^## /m)
      .map((part) => /^(.*)\n([^]*)$/.exec(part) ?? [])
      .map(([, title, text]) => [title, text] as const)
      .find(([title]) => title === heading) ?? [];
  return [...(section ?? "").matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, script = ""]) => script);
}
