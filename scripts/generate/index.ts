// `npm run generate`: writes every generated file. With --check it writes nothing and fails if one is stale or left over.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { decisionFiles } from "./decisions";
import { kindFiles } from "./kinds";
import { MARK } from "./mark";
import { pluginCatalogueFiles } from "./plugin-catalogue";
import { policyFiles } from "./policies";
import { referenceFiles } from "./reference-pages";
import { roleFiles } from "./roles";

const ROOT = path.resolve(__dirname, "../..");

/** Texts by path below the project's root; Prettier formats them. */
export type GeneratedFiles = ReadonlyMap<string, string>;

async function main(check: boolean): Promise<void> {
  const wanted = new Map<string, string>();
  const sources = [kindFiles, roleFiles, pluginCatalogueFiles, policyFiles, referenceFiles, decisionFiles];
  for (const files of sources.map((source) => source())) {
    for (const [file, text] of files) {
      const filepath = path.join(ROOT, file);
      wanted.set(file, await format(text, { ...(await resolveConfig(filepath)), filepath }));
    }
  }
  const stale = [...wanted.keys()].filter((file) => read(file) !== wanted.get(file));
  const leftOver = generatedBefore().filter((file) => !wanted.has(file));
  if (check) {
    if (stale.length + leftOver.length === 0) return;
    console.error(
      `Stale: ${[...stale, ...leftOver].join(", ")}. Run npm run generate and commit the result.`,
    );
    process.exitCode = 1;
    return;
  }
  for (const file of stale) writeFileSync(path.join(ROOT, file), wanted.get(file) ?? "");
  for (const file of leftOver) rmSync(path.join(ROOT, file));
  console.log(`${wanted.size} generated files: ${stale.length} written, ${leftOver.length} removed.`);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(path.join(ROOT, file), "utf8");
  } catch {
    return undefined;
  }
}

/** The committed files that carry the mark. */
function generatedBefore(): string[] {
  const args = ["ls-files", "--", "*.yaml", "*.md"];
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((file) => file !== "" && (read(file)?.slice(0, 400).includes(MARK) ?? false));
}

void main(process.argv.includes("--check"));
