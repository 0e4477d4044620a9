import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGES = join(__dirname, "..", "..", "docs", "how-to");

/** The scripts below a heading of a page for people who work on clusters, in their order: tests run what people read. */
export function procedure(heading: string, page = "clusters.md"): string[] {
  const [, section] =
    readFileSync(join(PAGES, page), "utf8")
      .split(/^## /m)
      .map((part) => /^(.*)\n([^]*)$/.exec(part) ?? [])
      .map(([, title, text]) => [title, text] as const)
      .find(([title]) => title === heading) ?? [];
  return [...(section ?? "").matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, script = ""]) => script);
}
