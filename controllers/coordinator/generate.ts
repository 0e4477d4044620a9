// Writes role.yaml from what the parts declare, and plugins/role.yaml from the bundled plugins. With --check it writes
// nothing and fails if a file is stale.
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { dump, load } from "js-yaml";
import { format, resolveConfig } from "prettier";
import { plugin, SYSTEM_NAMESPACE } from "../../api";
import { PARTS } from "./parts";
import { installerOf } from "./plugins/catalogue";
import { rolesOf } from "./role";

const ROOT = path.resolve(__dirname, "../..");

async function rendered(file: string, from: string, documents: readonly object[]): Promise<string> {
  const texts = documents.map((document) => dump(document, { lineWidth: -1, noRefs: true }));
  const head = `# Written by controllers/coordinator/generate.ts from ${from}. Do not edit.\n`;
  const options = (await resolveConfig(path.join(ROOT, file))) ?? {};
  return format(head + texts.join("---\n"), { ...options, filepath: path.join(ROOT, file) });
}

async function catalogue(): Promise<object[]> {
  const folder = path.join(ROOT, "plugins");
  const files = (await readdir(folder))
    .filter((name) => name.endsWith(".yaml") && name !== "role.yaml")
    .sort();
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), "utf8")));
  return installerOf(texts.map((text) => plugin.parse(load(text))));
}

async function main(): Promise<void> {
  const own = "controllers/coordinator/role.yaml";
  const installer = "plugins/role.yaml";
  const wanted = {
    [own]: await rendered(own, "what each controller declares", rolesOf(PARTS, SYSTEM_NAMESPACE)),
    [installer]: await rendered(installer, "the bundled plugins", await catalogue()),
  };
  for (const [file, text] of Object.entries(wanted)) {
    const found = await readFile(path.join(ROOT, file), "utf8").catch(() => "");
    if (found === text) continue;
    if (process.argv.includes("--check")) {
      console.error(
        `${file} is stale. Run npx tsx controllers/coordinator/generate.ts and commit the result.`,
      );
      process.exitCode = 1;
    } else await writeFile(path.join(ROOT, file), text);
  }
}

void main();
