// Writes docs/reference/configuration.md. With --check it writes nothing and fails if the page is stale.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { configurationPage } from "./configuration";

const file = path.resolve(__dirname, "../reference/configuration.md");

async function main(): Promise<void> {
  const wanted = await format(configurationPage(), { ...(await resolveConfig(file)), filepath: file });
  if (!process.argv.includes("--check")) return writeFile(file, wanted);
  if ((await readFile(file, "utf8").catch(() => "")) === wanted) return;
  console.error("docs/reference/configuration.md is stale. Run npm run generate and commit the result.");
  process.exitCode = 1;
}

void main();
