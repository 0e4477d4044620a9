import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { dump } from "js-yaml";
import { format, resolveConfig } from "prettier";

const ROOT = path.resolve(__dirname, "../..");

/** A file of objects that is made from something else. */
export interface Generated {
  /** Its path below the project's root. */
  file: string;
  /** The script that writes it, below the root too. */
  by: string;
  /** What it is made from, in words. */
  from: string;
  documents: readonly object[];
}

/** Writes objects to a file, one YAML document each. With --check it writes nothing and fails if the file is stale. */
export async function generateDocuments({ file, by, from, documents }: Generated): Promise<void> {
  const place = path.join(ROOT, file);
  const texts = documents.map((document) => dump(document, { lineWidth: -1, noRefs: true }));
  const head = `# Written by ${by} from ${from}. Do not edit.\n`;
  const options = (await resolveConfig(place)) ?? {};
  const wanted = await format(head + texts.join("---\n"), { ...options, filepath: place });
  const found = await readFile(place, "utf8").catch(() => "");
  if (found === wanted) return;
  if (!process.argv.includes("--check")) return writeFile(place, wanted);
  console.error(`${file} is stale. Run npx tsx ${by} and commit the result.`);
  process.exitCode = 1;
}
