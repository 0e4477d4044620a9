// Writes role.yaml from what the parts declare, and plugins/role.yaml from the bundled plugins. With --check it writes
// nothing and fails if a file is stale.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { load } from "js-yaml";
import { plugin, SYSTEM_NAMESPACE } from "../../api";
import { generateDocuments } from "../program/generate-documents";
import { PARTS } from "./parts";
import { installerOf } from "./plugins/catalogue";
import { rolesOf } from "./role";

async function catalogue(): Promise<object[]> {
  const folder = path.resolve(__dirname, "../../plugins");
  const files = (await readdir(folder))
    .filter((name) => name.endsWith(".yaml") && name !== "role.yaml")
    .sort();
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), "utf8")));
  return installerOf(texts.map((text) => plugin.parse(load(text))));
}

async function main(): Promise<void> {
  const by = "controllers/coordinator/generate.ts";
  await generateDocuments({
    file: "controllers/coordinator/role.yaml",
    by,
    from: "what each controller declares",
    documents: rolesOf(PARTS, SYSTEM_NAMESPACE),
  });
  await generateDocuments({
    file: "plugins/role.yaml",
    by,
    from: "the bundled plugins",
    documents: await catalogue(),
  });
}

void main();
