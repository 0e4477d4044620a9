import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The tokens of the resource types and functions of AWS that a text of TypeScript uses, by the names of `@pulumi/aws`. */
export function tokensIn(source: string): string[] {
  const made = [...source.matchAll(/\bnew aws\.(\w+)\.(\w+)/g)].map(([, module = "", name = ""]) =>
    tokenOf(module, name),
  );
  const asked = [...source.matchAll(/\baws\.(?:(\w+)\.)?(get\w+?)(?:Output)?\(/g)].map(
    ([, module = "index", name = ""]) => tokenOf(module, name),
  );
  return [...made, ...asked];
}

/** The same for all that lies in a folder, tests left out. */
export function tokensBelow(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const tokens = files.flatMap((file) => tokensIn(readFileSync(path.join(folder, file), "utf8")));
  return [...new Set(tokens)].sort();
}

function tokenOf(module: string, name: string): string {
  return `aws:${module}/${name.charAt(0).toLowerCase()}${name.slice(1)}:${name}`;
}
