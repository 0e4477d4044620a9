// The objects on the hub that are pinned, of every kind that can be placed: informers that come and go with the kinds.
import { CLUSTER_PIN_LABEL } from "../../../api/hub";
import { GROUP } from "../../../api";
import {
  apiVersionOf,
  dropManagedFields,
  keyOf,
  type BorrowedInformer,
  type Cache,
  type Discovery,
  type Informer,
  type KubernetesObject,
  type Resource,
  type ServedResource,
} from "../../runtime";
import { PLACEABLE } from "../../workload";
import type { Definition } from "../apis/kinds";
import { definitionsIn } from "../informers";

interface Held {
  resource: ServedResource;
  /** Whether a definition makes the kind, and not the server itself. */
  isDefined: boolean;
  borrowed: BorrowedInformer<KubernetesObject>;
}

/** A root by its kind and key. */
export interface RootRef {
  resource: ServedResource;
  /** Whether a definition makes the kind, and not the server itself. */
  isDefined: boolean;
  key: string;
}

/** The pinned objects of all kinds. */
export class Roots {
  readonly #cache: Cache;
  readonly #discovery: Discovery;
  readonly #held = new Map<string, Held>();
  readonly #definitions: Informer<Definition>;
  readonly #onChange: (id: string) => void;

  constructor(cache: Cache, discovery: Discovery, onChange: (id: string) => void) {
    this.#cache = cache;
    this.#discovery = discovery;
    this.#onChange = onChange;
    this.#definitions = definitionsIn(cache);
    this.#definitions.onChange(({ before, after }) => {
      for (const definition of [before, after]) if (definition !== undefined) this.#follow(definition, after);
    });
  }

  /** Begins to follow the kinds that are built into the hub, as far as it serves them. */
  async followBuiltIn(signal: AbortSignal): Promise<void> {
    for (const kind of PLACEABLE) {
      const found = await this.#discovery.find({ apiVersion: apiVersionOf(kind), kind: kind.kind }, signal);
      if ("resource" in found) this.#hold(found.resource, false);
    }
  }

  /** What a key of the queue names; undefined for a kind that is not followed any more. */
  find(id: string): RootRef | undefined {
    const space = id.indexOf(" ");
    const held = this.#held.get(id.slice(0, space));
    if (held === undefined) return undefined;
    return { resource: held.resource, isDefined: held.isDefined, key: id.slice(space + 1) };
  }

  /** The root as the cache has it: only what is pinned. */
  get({ resource, key }: RootRef): KubernetesObject | undefined {
    return this.#held.get(idOf(resource))?.borrowed.informer.get(key);
  }

  /** The keys of the queue for what is pinned to a cluster. */
  pinnedTo(cluster: string): string[] {
    return [...this.#held].flatMap(([id, { borrowed }]) =>
      borrowed.informer.byIndex("cluster", cluster).map((root) => `${id} ${keyOf(root)}`),
    );
  }

  #follow(definition: Definition, after: Definition | undefined): void {
    const { group, names, versions, scope } = definition.spec;
    const { kind, plural } = names;
    if (group === GROUP) return;
    const isServed = after?.status?.conditions?.some(
      ({ type, status }) => type === "Established" && status === "True",
    );
    const version =
      versions.find(({ storage, served }) => storage && served) ?? versions.find(({ served }) => served);
    if (after === undefined || isServed !== true || version === undefined) {
      if (after === undefined || version === undefined) this.#drop(idOf({ group, kind }));
      return;
    }
    const resource = {
      group,
      version: version.name,
      kind,
      plural,
      namespaced: scope === "Namespaced",
      verbs: [],
      hasStatus: true,
    };
    this.#hold(resource, true);
  }

  #hold(resource: ServedResource, isDefined: boolean): void {
    const id = idOf(resource);
    if (this.#held.get(id)?.resource.version === resource.version) return;
    this.#drop(id);
    const borrowed = this.#cache.borrow<KubernetesObject>(resource, {
      labelSelector: CLUSTER_PIN_LABEL,
      transform: dropManagedFields,
    });
    borrowed.informer.addIndex("cluster", ({ metadata }) => [metadata.labels?.[CLUSTER_PIN_LABEL] ?? ""]);
    this.#held.set(id, { resource, isDefined, borrowed });
    borrowed.informer.onChange(({ key }) => this.#onChange(`${id} ${key}`));
  }

  #drop(id: string): void {
    this.#held.get(id)?.borrowed.release();
    this.#held.delete(id);
  }
}

function idOf({ group, kind }: Pick<Resource, "group" | "kind">): string {
  return group === "" ? kind : `${kind}.${group}`;
}
