// Asks the API server whether a pull secret is really unwanted, before it is deleted: the cache of a new leader may be
// behind, and a copy that goes by mistake fails the pods that start meanwhile.
import { isNotFound, type ApiClient, type Clock } from "../../runtime";
import { REGISTRIES, type RegistryObject } from "../kinds";
import { NAMESPACES } from "../native-resources";
import { selects } from "../selector";
import { hasDeclarationChanged } from "../../app/status";

/** An answer serves for all namespaces that ask within this time: a Registry goes from all of them at once. */
const ANSWER_SERVES_MS = 1000;

interface Answer {
  at: number;
  registry: Promise<RegistryObject | undefined>;
}

/** What the API server says of those to whom copies belong. */
export class CopyOwners {
  readonly #client: ApiClient;
  readonly #clock: Clock;
  readonly #answers = new Map<string, Answer>();

  constructor(client: ApiClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Whether the server agrees that a namespace should not have the pull secret of a Registry, which the cache knows as
   * given here or not at all. `goes` if the Registry's deletion is confirmed: then no namespace has it.
   */
  async agree(
    { name, cached, goes }: { name: string; cached: RegistryObject | undefined; goes: boolean },
    namespace: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    // What bears no name that a Registry could have is wanted by none.
    if (!/^[a-z0-9]/.test(name)) return true;
    const registry = await this.#registry(name, signal);
    if (hasDeclarationChanged(cached, registry)) return false;
    if (registry === undefined || goes) return true;
    try {
      const { metadata } = await this.#client.get(NAMESPACES, { name: namespace }, signal);
      return !selects(registry.spec.namespaceSelector, metadata.labels);
    } catch (error) {
      // Gone with all that is in it, as the cache will show.
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #registry(name: string, signal: AbortSignal): Promise<RegistryObject | undefined> {
    const now = this.#clock.monotonic();
    for (const [key, { at }] of this.#answers) if (now - at > ANSWER_SERVES_MS) this.#answers.delete(key);
    const known = this.#answers.get(name);
    if (known !== undefined) return known.registry;
    const registry = this.#client.get(REGISTRIES, { name }, signal).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      this.#answers.delete(name);
      throw error;
    });
    this.#answers.set(name, { at: now, registry });
    return registry;
  }
}
