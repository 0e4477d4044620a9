// The definitions of the operators, read from the files beside this one.
import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Schema } from "../../schema";
import { OPERATORS } from "./operators";

/** A definition, as far as a schema and names go. */
export interface OperatorDefinition {
  name: string;
  spec: {
    group: string;
    scope: string;
    names: { plural: string; kind: string };
    versions: readonly { name: string; served: boolean; schema: { openAPIV3Schema: Schema } }[];
  };
}

/** One version of a kind, as an older and a newer release of its operator define it. */
export interface Pair {
  title: string;
  definition: OperatorDefinition;
  version: string;
  older: Schema;
  newer: Schema;
}

/** Every version of a kind that both releases of an operator serve. */
export function pairs(): Pair[] {
  return OPERATORS.flatMap(({ name, versions: [before, after] }) => {
    const newer = read(name, after);
    return read(name, before).flatMap((definition) =>
      definition.spec.versions.flatMap((version): Pair[] => {
        const other = newer
          .find((one) => one.name === definition.name)
          ?.spec.versions.find((one) => one.name === version.name);
        if (other === undefined) return [];
        return [
          {
            title: `${definition.name} ${version.name} of ${name} ${before} and ${after}`,
            definition,
            version: version.name,
            older: version.schema.openAPIV3Schema,
            newer: other.schema.openAPIV3Schema,
          },
        ];
      }),
    );
  });
}

function read(name: string, version: string): OperatorDefinition[] {
  const file = path.join(__dirname, `${name}-${version}.json.gz`);
  return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as OperatorDefinition[];
}
