import { API_VERSION, GROUP } from "../names";
import { customResourceDefinition } from "./crd";
import type { AnyKind } from "./kind";
import type { StructuralSchema } from "./structural";
import { TIMESTAMP_PATTERN } from "./text";

/** The reference page of a kind in Markdown. The caller says how an object is written as YAML. */
export function referencePage(kind: AnyKind, yaml: (object: unknown) => string): string {
  const crd = customResourceDefinition(kind);
  const { spec, status } = crd.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};
  const example = { apiVersion: API_VERSION, kind: kind.kind, ...kind.example };
  const { nameRule } = kind;
  const nameRules = nameRule === undefined ? [] : [[code("metadata.name"), nameRule.message]];
  return [
    `# ${kind.kind}`,
    kind.summary,
    ...kind.details,
    table(
      ["", ""],
      [
        ["apiVersion", code(API_VERSION)],
        ["kind", code(kind.kind)],
        ["scope", kind.scope === "Namespaced" ? "namespace" : "cluster"],
        ["kubectl", [`${kind.plural}.${GROUP}`, ...kind.shortNames].map((name) => code(name)).join(", ")],
      ],
    ),
    "## Example",
    `\`\`\`yaml\n${yaml(example).trim()}\n\`\`\``,
    "## Spec",
    fieldTable("spec", spec),
    "## Rules",
    "Besides types and bounds, the API server checks these. A refusal names the field, the value found and the rule.",
    table(["Field", "Rule"], [...nameRules, ...rulesOf("spec", spec)]),
    "## Status",
    "Written by the product; what is written to it through the object itself is ignored.",
    fieldTable("status", status),
    "## Columns",
    "What `kubectl get` shows; those in _italics_ only with `-o wide`.",
    table(
      ["Column", "Meaning"],
      kind.columns.map(({ name, description, wide }) => [wide === true ? `_${name}_` : name, description]),
    ),
    "",
  ].join("\n\n");
}

/** The page that lists all kinds. */
export function indexPage(inClusters: readonly AnyKind[], onTheHub: readonly AnyKind[]): string {
  return [
    "# The kinds",
    `All are in the group \`${GROUP}\`, with a status subresource, and in the category \`fleetwright\`: \`kubectl get fleetwright\` lists every object of all of them. They are cluster-scoped unless the last column says otherwise.`,
    "## In a cluster",
    kindTable(inClusters),
    "## On a hub",
    "These are installed on a hub alone, which is an API server of its own, and never in its members.",
    kindTable(onTheHub),
    "",
  ].join("\n\n");
}

function kindTable(kinds: readonly AnyKind[]): string {
  return table(
    ["Kind", "Short name", "What it is"],
    kinds.map(({ kind, scope, shortNames, summary }) => [
      `[${kind}](${kind.toLowerCase()}.md)`,
      shortNames.map(code).join(", "),
      scope === "Namespaced" ? `${summary} In a namespace.` : summary,
    ]),
  );
}

interface Field {
  path: string;
  schema: StructuralSchema;
  required: boolean;
}

function fieldTable(root: string, schema: StructuralSchema = {}): string {
  return table(
    ["Field", "Type", "Default", "Description"],
    fieldsBelow(root, schema).map(({ path, schema: field, required }) => [
      code(path),
      typeText(field),
      defaultText(field, required),
      field.description ?? "",
    ]),
  );
}

function fieldsBelow(path: string, schema: StructuralSchema): Field[] {
  // What an embedded object consists of is its own kind's matter.
  if (schema["x-kubernetes-embedded-resource"] === true) return [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { path: `${path}.${name}`, schema: field, required: schema.required?.includes(name) ?? false },
    ...fieldsBelow(`${path}.${name}`, field),
  ]);
  return schema.items === undefined ? own : [...own, ...fieldsBelow(`${path}[]`, schema.items)];
}

function rulesOf(path: string, schema: StructuralSchema = {}): string[][] {
  const own = (schema["x-kubernetes-validations"] ?? []).map(({ message, fieldPath = "" }) => [
    code(`${path}${fieldPath}`),
    message,
  ]);
  return [
    ...own,
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => rulesOf(`${path}.${name}`, field)),
    ...(schema.items === undefined ? [] : rulesOf(`${path}[]`, schema.items)),
  ];
}

function typeText(schema: StructuralSchema): string {
  return `${baseType(schema)}${bounds(schema)}`;
}

function baseType(schema: StructuralSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(" or ");
  if (schema.pattern === TIMESTAMP_PATTERN) return "time (RFC 3339)";
  if (schema.items !== undefined) {
    const key = schema["x-kubernetes-list-map-keys"]?.join(", ");
    const merged = key === undefined ? "" : `, one for each ${code(key)}`;
    const distinct = schema["x-kubernetes-list-type"] === "set" ? ", all different" : "";
    const item = schema.items.enum === undefined ? (schema.items.type ?? "object") : baseType(schema.items);
    return `list of ${item}${distinct}${merged}`;
  }
  if (schema.additionalProperties !== undefined)
    return `map of ${schema.additionalProperties.type ?? "object"}`;
  return schema.type ?? "object";
}

function bounds(schema: StructuralSchema): string {
  const { minimum, maximum, minLength = 0, maxLength, minItems = 0, maxItems, maxProperties } = schema;
  if (schema.pattern === TIMESTAMP_PATTERN || schema.enum !== undefined) return "";
  if (maximum !== undefined) return `, ${minimum ?? 0} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  if (maxLength !== undefined) return `, ${minLength} to ${maxLength} characters`;
  if (maxItems !== undefined) return `, ${minItems} to ${maxItems} entries`;
  return maxProperties === undefined ? "" : `, up to ${maxProperties} entries`;
}

function defaultText(schema: StructuralSchema, required: boolean): string {
  if (schema.default !== undefined) return code(JSON.stringify(schema.default));
  return required ? "**required**" : "";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
