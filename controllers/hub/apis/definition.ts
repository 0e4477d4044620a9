// The definition that the hub serves a kind by, from what was negotiated.
import { content, type Schema } from "../../negotiation";
import type { Definition, DefinitionVersion, ImportObject } from "./kinds";

/** Who made a definition: ours carries this label with this value. */
export const MANAGED_BY = "app.kubernetes.io/managed-by";
const HUB = "fleetwright-hub";
/** The hash of the schema that a definition was made with. */
export const SCHEMA_ANNOTATION = "fleetwright.dev/schema";

/** Whether the hub made a definition. */
export function isOurs({ metadata }: Definition): boolean {
  return metadata.labels?.[MANAGED_BY] === HUB;
}

type Scale = NonNullable<NonNullable<DefinitionVersion["subresources"]>["scale"]>;

const withoutUndefined = ({
  labelSelectorPath,
  ...paths
}: NonNullable<ImportObject["spec"]["subresources"]["scale"]>): Scale =>
  labelSelectorPath === undefined ? paths : { ...paths, labelSelectorPath };

/** The definition of one version of a kind, with the names that its clusters share. */
export function definitionOf(imports: readonly ImportObject[], schema: Schema): Definition | undefined {
  const [one] = imports;
  if (one === undefined) return undefined;
  const specs = imports.map(({ spec }) => spec);
  const { group, version, resource, names, scope } = one.spec;
  const inAll = (list: (spec: ImportObject["spec"]) => readonly string[]): string[] =>
    list(one.spec).filter((item) => specs.every((spec) => list(spec).includes(item)));
  const same = (value: (spec: ImportObject["spec"]) => unknown): boolean =>
    specs.every((spec) => JSON.stringify(value(spec)) === JSON.stringify(value(one.spec)));
  const { scale } = one.spec.subresources;
  const status = specs.every((spec) => spec.subresources.status);
  const has = (path: string): boolean =>
    path
      .slice(1)
      .split(".")
      .reduce<Schema | undefined>((at, name) => at?.properties?.[name], schema) !== undefined;
  const scaled =
    scale !== undefined &&
    same((spec) => spec.subresources.scale) &&
    has(scale.specReplicasPath) &&
    has(scale.statusReplicasPath);
  const columns = one.spec.columns.filter((column) =>
    specs.every((spec) => spec.columns.some((other) => JSON.stringify(other) === JSON.stringify(column))),
  );
  const served: DefinitionVersion = {
    name: version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    subresources: {
      ...(status ? { status: {} } : {}),
      ...(scaled ? { scale: withoutUndefined(scale) } : {}),
    },
    // A priority of 0 is left out by the server, and would look like a change for ever.
    additionalPrinterColumns: columns.map(({ priority, ...column }) => ({
      ...column,
      ...(priority > 0 ? { priority } : {}),
    })) as NonNullable<DefinitionVersion["additionalPrinterColumns"]>,
  };
  return {
    metadata: {
      name: `${resource}.${group}`,
      labels: { [MANAGED_BY]: HUB },
      annotations: {
        [SCHEMA_ANNOTATION]: content(schema).hash,
        // The server asks it of definitions in groups of Kubernetes itself, which are approved where they come from.
        ...(/(?:^|[.])(?:k8s|kubernetes)[.]io$/.test(group)
          ? { "api-approved.kubernetes.io": "unapproved, imported from member clusters" }
          : {}),
      },
    },
    spec: {
      group,
      scope,
      names: {
        plural: resource,
        kind: names.kind,
        listKind: names.listKind ?? `${names.kind}List`,
        singular: names.singular ?? names.kind.toLowerCase(),
        shortNames: inAll((spec) => spec.names.shortNames),
        categories: inAll((spec) => spec.names.categories),
      },
      versions: [served],
    },
  };
}
