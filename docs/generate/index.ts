// Writes the pages of docs/reference that are made from the sources. With --check it writes nothing and fails if one is stale.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { configurationPage } from "./configuration";
import { everyCluster, hosted, permissionsPage, selfManaged } from "./permissions";

const folder = path.resolve(__dirname, "../reference");

async function main(): Promise<void> {
  const pages: Readonly<Record<string, string>> = {
    "configuration.md": configurationPage(),
    "permissions.md": permissionsPage([everyCluster, selfManaged, hosted]),
  };
  for (const [name, text] of Object.entries(pages)) {
    const file = path.join(folder, name);
    const wanted = await format(text, { ...(await resolveConfig(file)), filepath: file });
    if (!process.argv.includes("--check")) {
      await writeFile(file, wanted);
    } else if ((await readFile(file, "utf8").catch(() => "")) !== wanted) {
      console.error(`docs/reference/${name} is stale. Run npm run generate and commit the result.`);
      process.exitCode = 1;
    }
  }
}

void main();
