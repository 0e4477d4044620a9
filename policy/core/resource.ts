/** A resource as policies see it, whether it comes from the engine, from a state or from a preview. */
export interface Resource {
  readonly type: string;
  readonly name: string;
  readonly urn: string;
  /** Inputs for policies of one resource, outputs for those of a stack; secrets and unknown values stay marked. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly isProtected: boolean;
  /** The configuration of its provider. */
  readonly provider: Readonly<Record<string, unknown>>;
  /** URNs of what it depends on. */
  readonly dependencies: readonly string[];
  /** The same by property; known even where the value is not. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
}

/** The type and name in a URN, and the types of the components that the resource is a child of. */
export function identityOf(urn: string): { type: string; name: string; parentTypes: readonly string[] } {
  const [, , types = "", ...name] = urn.split("::");
  const chain = types.split("$");
  return { type: chain.at(-1) ?? "", name: name.join("::"), parentTypes: chain.slice(0, -1) };
}

/** All resources of a stack. */
export class Stack {
  readonly #byUrn: ReadonlyMap<string, Resource>;

  constructor(readonly resources: readonly Resource[]) {
    this.#byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  }

  /** The resources of some types. */
  of(...types: readonly string[]): Resource[] {
    return this.resources.filter(({ type }) => types.includes(type));
  }

  /** The resources that a property depends on, or the whole resource where no property is named. */
  behind(resource: Resource, property?: string): Resource[] {
    const urns =
      property === undefined ? resource.dependencies : (resource.propertyDependencies[property] ?? []);
    return urns.flatMap((urn) => this.#byUrn.get(urn) ?? []);
  }
}
