import { GROUP, VERSION } from "../names";
import type { AnyKind, NameRule } from "./kind";
import { celRule, matching } from "./rule";
import { structuralSchema } from "./structural";

/** The CRD of a kind, ready to be applied. */
export function customResourceDefinition(kind: AnyKind) {
  const { plural, shortNames, columns, summary, scope = "Cluster", nameRule, changes = [] } = kind;
  const spec = structuralSchema(kind.spec);
  const rules = [
    ...(spec["x-kubernetes-validations"] ?? []),
    ...changes.map(({ cel, message, field }) => celRule(cel, message, field)),
  ];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}`, labels: { "app.kubernetes.io/managed-by": "fleetwright" } },
    spec: {
      group: GROUP,
      scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular: kind.kind.toLowerCase(),
        shortNames,
        categories: ["fleetwright"],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            // The server leaves out a priority of 0: to say it would look like a change for ever.
            ...columns.map(({ wide = false, ...column }) => ({
              ...column,
              ...(wide ? { priority: 1 } : {}),
            })),
            { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          ],
          schema: {
            openAPIV3Schema: {
              description: summary,
              type: "object",
              required: ["spec"],
              properties: {
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: nameRule === undefined ? { type: "object" } : named(nameRule),
                spec: {
                  description: "What is wanted.",
                  ...withoutRules(spec),
                  ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
                },
                status: { description: "What was found and done.", ...structuralSchema(kind.status) },
              },
            },
          },
        },
      ],
    },
  };
}

// The only thing that a structural schema may say of metadata is how the name looks.
function named({ form, max, message }: NameRule) {
  const { cel } = matching(form, message);
  return {
    type: "object",
    properties: {
      name: { type: "string", maxLength: max, "x-kubernetes-validations": [celRule(cel, message)] },
    },
  };
}

function withoutRules(schema: object): object {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => keyword !== "x-kubernetes-validations"),
  );
}
