/** A resource as policies see it, whether it comes from the engine, from a state or from a preview. */
export interface Resource {
  readonly type: string;
  readonly name: string;
  readonly urn: string;
  /** Inputs for policies of one resource, outputs for those of a stack; secrets and unknown values keep their marks. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly isProtected: boolean;
  /** Settings of the provider that makes it. */
  readonly provider: Readonly<Record<string, unknown>>;
  /** URNs of what it depends on. */
  readonly dependencies: readonly string[];
  /** The same by property: known even where the value is not. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
}

/** The type and name in a URN. */
export function identityOf(urn: string): { type: string; name: string } {
  const [, , types = "", ...name] = urn.split("::");
  return { type: types.split("$").at(-1) ?? "", name: name.join("::") };
}

/** All resources of a stack. */
export class Stack {
  readonly #byUrn: ReadonlyMap<string, Resource>;

  constructor(readonly resources: readonly Resource[]) {
    this.#byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  }

  /** Those of some types. */
  of(...types: readonly string[]): Resource[] {
    return this.resources.filter(({ type }) => types.includes(type));
  }

  /** What a property of a resource was made from, or the whole resource where no property is named. */
  behind(resource: Resource, property?: string): Resource[] {
    const urns =
      property === undefined ? resource.dependencies : (resource.propertyDependencies[property] ?? []);
    return urns.flatMap((urn) => this.#byUrn.get(urn) ?? []);
  }
}
