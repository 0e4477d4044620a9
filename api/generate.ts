// Writes api/crds/*.yaml and docs/reference/*.md from the kinds. With --check it writes nothing and fails if one is stale.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { dump } from "js-yaml";
import { format, resolveConfig } from "prettier";
import { crdOf, KIND_NAMES, KINDS } from "./kinds";
import { GROUP } from "./names";
import { indexPage, referencePage } from "./schema/page";

const root = path.resolve(__dirname, "..");
const folders = ["api/crds", "docs/reference"];

/** Every generated file by its path below the root. */
async function generate(): Promise<Map<string, string>> {
  const yaml = (object: unknown): string => dump(object, { lineWidth: -1, noRefs: true });
  const files = new Map<string, string>();
  for (const name of KIND_NAMES) {
    const kind = KINDS[name];
    files.set(
      `api/crds/${kind.plural}.${GROUP}.yaml`,
      `# Written by api/generate.ts from the kind's schema. Do not edit.\n${yaml(crdOf(name))}`,
    );
    files.set(`docs/reference/${name.toLowerCase()}.md`, referencePage(kind, yaml));
  }
  files.set("docs/reference/kinds.md", indexPage(KIND_NAMES.map((name) => KINDS[name])));
  const options = (await resolveConfig(path.join(root, "api/generate.ts"))) ?? {};
  for (const [file, text] of files)
    files.set(file, await format(text, { ...options, filepath: path.join(root, file) }));
  return files;
}

/** The generated files that are there now; those whose kind is gone are among them. */
async function present(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    await mkdir(path.join(root, folder), { recursive: true });
    for (const name of await readdir(path.join(root, folder))) {
      const text = await readFile(path.join(root, folder, name), "utf8");
      if (text.includes("Written by api/generate.ts")) files.set(`${folder}/${name}`, text);
    }
  }
  return files;
}

async function main(): Promise<void> {
  const [wanted, found] = await Promise.all([generate(), present()]);
  const stale = [...wanted].filter(([file, text]) => found.get(file) !== text).map(([file]) => file);
  const left = [...found.keys()].filter((file) => !wanted.has(file));
  if (process.argv.includes("--check")) {
    if (stale.length + left.length === 0) return;
    console.error(
      `Stale: ${[...stale, ...left].join(", ")}. Run npx tsx api/generate.ts and commit the result.`,
    );
    process.exitCode = 1;
    return;
  }
  for (const file of stale) await writeFile(path.join(root, file), wanted.get(file) ?? "");
  for (const file of left) await rm(path.join(root, file));
  console.log(
    `${wanted.size} files are up to date, ${stale.length} of them written, ${left.length} removed.`,
  );
}

void main();
