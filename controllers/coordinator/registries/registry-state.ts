import type { Informer } from "../../runtime";
import type { DeletionGuard } from "../../app/deletion-guard";
import type { RegistryObject } from "../kinds";
import { isTerminating, type Namespace, type Secret, type ServiceAccount } from "../native-resources";
import { selects } from "../selector";
import { pullSecretName, REGISTRY } from "./pull-secret";

/** In how many namespaces a Registry's pull secret is. */
export interface Coverage {
  ready: number;
  total: number;
  /** Namespaces where an object that is not ours has its name. */
  foreign: string[];
}

/** The watched state that both reconcilers of registries read, and where objects that are not ours stand in the way. */
export class RegistryState {
  readonly #foreign = new Map<string, ReadonlySet<string>>();
  #listener: () => void = () => {};

  constructor(
    readonly registries: Informer<RegistryObject>,
    readonly namespaces: Informer<Namespace>,
    readonly secrets: Informer<Secret>,
    readonly accounts: Informer<ServiceAccount>,
    readonly guard: DeletionGuard<RegistryObject>,
  ) {
    secrets.addIndex("registry", (secret) => this.registryOf(secret));
    secrets.addIndex("namespace", ({ metadata }) => [metadata.namespace ?? ""]);
    accounts.addIndex("namespace", ({ metadata }) => [metadata.namespace ?? ""]);
  }

  /** The Registry that a pull secret is for. */
  registryOf({ metadata }: Secret): string[] {
    const name = metadata.annotations?.[REGISTRY];
    return name === undefined ? [] : [name];
  }

  /** The Registries whose pull secret a namespace should have. */
  registriesFor({ metadata }: Namespace): RegistryObject[] {
    return this.registries
      .list()
      .filter(
        (registry) =>
          !this.guard.confirmsDeletion(registry) && selects(registry.spec.namespaceSelector, metadata.labels),
      )
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** Counts the namespaces that have the pull secret as it should be. */
  coverage({ metadata: { name }, spec }: RegistryObject, original: Secret | undefined): Coverage {
    const secret = pullSecretName(name);
    const wanted = JSON.stringify(original?.data);
    const found: Coverage = { ready: 0, total: 0, foreign: [] };
    for (const namespace of this.namespaces.list()) {
      if (isTerminating(namespace) || !selects(spec.namespaceSelector, namespace.metadata.labels)) continue;
      found.total += 1;
      const copy = this.secrets.get(`${namespace.metadata.name}/${secret}`);
      if (original !== undefined && copy !== undefined && JSON.stringify(copy.data) === wanted)
        found.ready += 1;
      if (this.#foreign.get(namespace.metadata.name)?.has(name) === true)
        found.foreign.push(namespace.metadata.name);
    }
    return found;
  }

  /** Remembers for a namespace the Registries whose pull secret cannot be written, because its name is taken. */
  noteForeign(namespace: string, registries: ReadonlySet<string>): void {
    const before = this.#foreign.get(namespace);
    const same =
      (before?.size ?? 0) === registries.size && [...registries].every((name) => before?.has(name) === true);
    if (same) return;
    if (registries.size === 0) this.#foreign.delete(namespace);
    else this.#foreign.set(namespace, registries);
    this.#listener();
  }

  /** Calls when that changes. */
  onForeign(listener: () => void): void {
    this.#listener = listener;
  }
}
