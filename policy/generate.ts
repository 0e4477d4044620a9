// Writes docs/policies.md and docs/policies.json from the policies. With --check it writes nothing and fails if one is stale.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { matrixJson, matrixPage } from "./matrix";
import { policies } from "./policies";

const root = path.resolve(__dirname, "..");

async function main(): Promise<void> {
  const files: readonly (readonly [string, string])[] = [
    ["docs/policies.md", matrixPage(policies)],
    ["docs/policies.json", matrixJson(policies)],
  ];
  const options = (await resolveConfig(path.join(root, "policy/generate.ts"))) ?? {};
  const stale: string[] = [];
  for (const [file, text] of files) {
    const place = path.join(root, file);
    const wanted = await format(text, { ...options, filepath: place });
    const found = await readFile(place, "utf8").catch(() => "");
    if (found === wanted) continue;
    stale.push(file);
    if (!process.argv.includes("--check")) await writeFile(place, wanted);
  }
  if (process.argv.includes("--check") && stale.length > 0) {
    console.error(`Stale: ${stale.join(", ")}. Run npm run generate and commit the result.`);
    process.exitCode = 1;
  } else if (!process.argv.includes("--check")) {
    console.log(`${files.length} files are up to date, ${stale.length} of them written.`);
  }
}

void main();
