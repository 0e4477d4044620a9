// What an API server publishes of its own kinds under /openapi/v3, as structural schemas.
import { canonical, isRecord, type Schema } from "./schema";

const REFERENCE = "#/components/schemas/";
const OPEN = "x-kubernetes-preserve-unknown-fields";
/** The server writes these as text of any form. */
const INT_OR_STRING = ["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
/** JSON of any form, and what refers to itself. */
const ANYTHING = [
  "io.k8s.apimachinery.pkg.runtime.RawExtension",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1",
];

/** The schema of a kind in a document of one group and version; undefined if it is not there. */
export function schemaOf(
  document: unknown,
  { group, version, kind }: { group: string; version: string; kind: string },
): Schema | undefined {
  const components =
    isRecord(document) && isRecord(document.components) ? document.components.schemas : undefined;
  if (!isRecord(components)) return undefined;
  const found = Object.entries(components).find(([, schema]) => {
    const names = isRecord(schema) ? schema["x-kubernetes-group-version-kind"] : undefined;
    return (
      Array.isArray(names) &&
      names.some(
        (name: unknown) =>
          isRecord(name) && name.group === group && name.version === version && name.kind === kind,
      )
    );
  });
  if (found === undefined) return undefined;
  const schema = structural(found[1], components, [found[0]]);
  // Of its metadata the server lets a definition say nothing, and every kind has the same.
  return canonical({ ...schema, properties: { ...schema.properties, metadata: { type: "object" } } });
}

function structural(found: unknown, components: Record<string, unknown>, within: readonly string[]): Schema {
  if (!isRecord(found)) return { [OPEN]: true };
  const name = referenceIn(found);
  if (name !== undefined) {
    if (INT_OR_STRING.includes(name)) return { "x-kubernetes-int-or-string": true };
    // A kind within itself has no end; what is below is left to the cluster.
    if (within.includes(name) || ANYTHING.includes(name)) return { [OPEN]: true };
    return { ...structural(components[name], components, [...within, name]), ...described(found) };
  }
  const { properties, items, additionalProperties, ...rest } = found;
  const schema: Record<string, unknown> = described(rest);
  if (isRecord(properties))
    schema.properties = Object.fromEntries(
      Object.entries(properties).map(([field, value]) => [field, structural(value, components, within)]),
    );
  if (items !== undefined) schema.items = structural(items, components, within);
  if (isRecord(additionalProperties))
    schema.additionalProperties = structural(additionalProperties, components, within);
  if (
    schema.type === undefined ||
    (schema.type === "object" && !isRecord(properties) && !isRecord(additionalProperties))
  )
    schema[OPEN] = true;
  return schema;
}

function referenceIn({ $ref, allOf }: Record<string, unknown>): string | undefined {
  const [only, ...more] = Array.isArray(allOf) ? (allOf as unknown[]) : [];
  const reference = $ref ?? (more.length === 0 && isRecord(only) ? only.$ref : undefined);
  return typeof reference === "string" && reference.startsWith(REFERENCE)
    ? reference.slice(REFERENCE.length)
    : undefined;
}

// Defaults are the server's own matter, and of its extensions those count that say how lists are merged.
const KEPT = ["type", "format", "enum", "required", "minimum", "maximum", "pattern", "nullable"];

function described(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([name]) =>
        KEPT.includes(name) || name.startsWith("x-kubernetes-list-") || name === "x-kubernetes-map-type",
    ),
  );
}
