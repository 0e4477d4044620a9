import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { dump } from "js-yaml";
import { format, resolveConfig } from "prettier";
import type { Role } from "./rules";

/** Writes roles to `role.yaml` in a folder of ours. With --check it writes nothing and fails if the file is stale. */
export async function generateRole(folder: string, roles: readonly Role[]): Promise<void> {
  const file = path.join(folder, "role.yaml");
  const room = path.relative(path.resolve(__dirname, "../.."), folder);
  const documents = roles.map((role) => dump(role, { lineWidth: -1, noRefs: true }));
  const head = `# Written by ${room}/generate.ts from what each controller declares. Do not edit.\n`;
  const options = (await resolveConfig(file)) ?? {};
  const wanted = await format(head + documents.join("---\n"), { ...options, filepath: file });
  const found = await readFile(file, "utf8").catch(() => "");
  if (process.argv.includes("--check")) {
    if (found === wanted) return;
    console.error(`${room}/role.yaml is stale. Run npx tsx ${room}/generate.ts and commit the result.`);
    process.exitCode = 1;
    return;
  }
  await writeFile(file, wanted);
}
