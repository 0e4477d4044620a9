// Asks the Python package jsonsubschema whether one schema accepts no more than another.
import { execFile } from "node:child_process";
import path from "node:path";
import { parseJson } from "../../../../lib/json";
import { ensurePythonEnvironment } from "../../../../sandbox/toolchain";
import { mapValue, type Schema } from "../../schema";

/** True or false, or why it cannot tell. */
export type Answer = boolean | string;

/** Judges pairs of schemas. */
export async function areSubschemas(pairs: readonly (readonly [Schema, Schema])[]): Promise<Answer[]> {
  const python = await ensurePythonEnvironment({
    name: "jsonsubschema",
    purpose: "a second opinion about schemas",
    requirements: path.join(__dirname, "requirements.txt"),
    oldestMinor: 11,
  });
  const input = pairs.map((pair) => `${JSON.stringify(pair.map((one) => jsonSchema(one)))}\n`).join("");
  const said = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      python,
      [path.join(__dirname, "answer.py")],
      { maxBuffer: 64 << 20 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`jsonsubschema failed:\n${stderr.slice(-2000)}`, { cause: error }));
      },
    );
    child.stdin?.end(input);
  });
  return said
    .trim()
    .split("\n")
    .map((line) => {
      const answer = parseJson(line);
      return typeof answer === "boolean" ? answer : String(answer);
    });
}

/** Whether it can say anything of a schema: it knows no null that is dropped, no default and no list by keys. */
export function canJudge(schema: Schema): boolean {
  return !/"(?:nullable|default|format|not|x-kubernetes-list-type)"|"x-kubernetes-preserve/.test(
    JSON.stringify(schema),
  );
}

// The same as JSON Schema says it, where fields that are not named are allowed unless it says otherwise.
function jsonSchema(schema: Schema): Record<string, unknown> {
  const { properties, items, "x-kubernetes-int-or-string": mixed } = schema;
  const result: Record<string, unknown> = { ...schema };
  if (mixed === true) result.type = ["integer", "string"];
  if (properties !== undefined)
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, jsonSchema(field)]),
    );
  if (items !== undefined) result.items = jsonSchema(items);
  if (schema.type === "object") {
    const value = mapValue(schema);
    result.additionalProperties = value === undefined ? false : jsonSchema(value);
  }
  return result;
}
