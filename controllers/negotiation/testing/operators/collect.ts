// Collects definitions of well-known operators, in two versions each, out of their Go modules: npx tsx <this file>.
// The files beside this one are its output: definitions without descriptions, compressed. Each module is under the Apache License
// 2.0, by the authors of its project.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { loadAll } from "js-yaml";
import { canonical, isRecord, type Schema } from "../../schema";
import { OPERATORS, type Operator } from "./operators";

for (const operator of OPERATORS)
  for (const version of operator.versions) {
    const folder = downloaded(operator.module, version);
    const found = operator.files.flatMap((file) => definitionsIn(path.join(folder, file), operator));
    if (found.length === 0)
      throw new Error(`${operator.module}@${version} has none of ${operator.kinds.join(", ")}.`);
    found.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    // Without a time in its head the file is the same whenever it is made.
    writeFileSync(
      path.join(__dirname, `${operator.name}-${version}.json.gz`),
      gzipSync(JSON.stringify(found), { level: 9 }),
    );
    process.stdout.write(`${operator.name} ${version}: ${found.length} definitions\n`);
  }

function downloaded(module: string, version: string): string {
  const answer = execFileSync("go", ["mod", "download", "-json", `${module}@${version}`], {
    encoding: "utf8",
  });
  return (JSON.parse(answer) as { Dir: string }).Dir;
}

function definitionsIn(place: string, { kinds }: Operator): unknown[] {
  const files = /[.]ya?ml$/.test(place) ? [place] : readdirSync(place).map((name) => path.join(place, name));
  return files
    .filter((file) => /[.]ya?ml$/.test(file))
    .flatMap((file) => loadAll(readFileSync(file, "utf8")))
    .flatMap((document) => {
      if (!isRecord(document) || document.kind !== "CustomResourceDefinition" || !isRecord(document.spec))
        return [];
      const { group, scope, names, versions } = document.spec as {
        group: string;
        scope: string;
        names: { plural: string };
        versions: { schema: { openAPIV3Schema: Schema } }[];
      };
      if (!kinds.includes(names.plural)) return [];
      const plain = versions.map((one) => ({
        ...one,
        schema: { openAPIV3Schema: canonical(one.schema.openAPIV3Schema) },
      }));
      return [{ name: `${names.plural}.${group}`, spec: { group, scope, names, versions: plain } }];
    });
}
