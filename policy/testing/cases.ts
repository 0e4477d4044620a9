import type { Resource } from "../core/resource";

/** What the engine writes for a text that is not known yet. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Properties of a resource, and beside them what is not a property. */
export interface Example {
  readonly [property: string]: unknown;
  /** @default the first type of the policy */
  readonly $type?: string;
  /** @default "example" */
  readonly $name?: string;
  readonly $protect?: boolean;
  readonly $provider?: Readonly<Record<string, unknown>>;
  /** The names of what a property was made from. */
  readonly $from?: Readonly<Record<string, readonly string[]>>;
}

/** Examples for a policy; for a policy of a stack each is a list of resources. */
export interface Cases {
  readonly passes: readonly (Example | readonly Example[])[];
  /** With a part of the message. */
  readonly fails: readonly (readonly [Example | readonly Example[], string])[];
  readonly unknown: readonly (Example | readonly Example[])[];
}

/** For tests: examples as resources of a stack `prod`. What they are made from is named by name, and gets its URN here. */
export function resourcesOf(examples: readonly Example[], type = ""): Resource[] {
  const stack: Example = { $type: "pulumi:pulumi:Stack", $name: "acme-prod" };
  const resources = [stack, ...examples].map((example, index) => resourceOf(example, type, index));
  const urns = new Map(resources.map(({ name, urn }) => [name, urn]));
  return resources.map((resource) => ({
    ...resource,
    propertyDependencies: Object.fromEntries(
      Object.entries(resource.propertyDependencies).map(([property, names]) => [
        property,
        names.flatMap((name) => urns.get(name) ?? []),
      ]),
    ),
  }));
}

function resourceOf(example: Example, otherwise: string, index: number): Resource {
  const {
    $type: type = otherwise,
    $name: name = `example-${index}`,
    $protect,
    $provider,
    $from,
    ...properties
  } = example;
  return {
    type,
    name,
    urn: `urn:pulumi:prod::acme::${type}::${name}`,
    properties,
    isProtected: $protect ?? false,
    provider: $provider ?? {},
    dependencies: [],
    propertyDependencies: $from ?? {},
  };
}
