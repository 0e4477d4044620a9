// Writes catalogue.json from plugins/: the bundled plugins as plain data that a program can declare. A test fails when the
// file is stale.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { bundledSpecs } from "./bundled-plugins";

async function main(): Promise<void> {
  const file = path.join(__dirname, "catalogue.json");
  const options = { ...(await resolveConfig(file)), filepath: file };
  await writeFile(file, await format(JSON.stringify(bundledSpecs()), options));
}

void main();
