// Writes role.yaml from what the parts declare. With --check it writes nothing and fails if the file is stale.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { dump } from "js-yaml";
import { format, resolveConfig } from "prettier";
import { SYSTEM_NAMESPACE } from "../../api";
import { PARTS } from "./parts";
import { rolesOf } from "./role";

const file = path.join(__dirname, "role.yaml");

async function main(): Promise<void> {
  const documents = rolesOf(PARTS, SYSTEM_NAMESPACE).map((role) =>
    dump(role, { lineWidth: -1, noRefs: true }),
  );
  const head =
    "# Written by controllers/coordinator/generate.ts from what each controller declares. Do not edit.\n";
  const options = (await resolveConfig(file)) ?? {};
  const wanted = await format(head + documents.join("---\n"), { ...options, filepath: file });
  const found = await readFile(file, "utf8").catch(() => "");
  if (process.argv.includes("--check")) {
    if (found === wanted) return;
    console.error(
      "controllers/coordinator/role.yaml is stale. Run npx tsx controllers/coordinator/generate.ts and commit the result.",
    );
    process.exitCode = 1;
    return;
  }
  await writeFile(file, wanted);
}

void main();
