// The Secrets that Registries name, watched as long as one of them does.
import { aborted, type BorrowedInformer, type Cache } from "../../runtime";
import { SECRETS, type Secret } from "../native-resources";
import type { RegistrySpec } from "./credential";

function keep(secret: Secret): Secret {
  secret.metadata.managedFields = undefined;
  return secret;
}

interface Watched extends BorrowedInformer<Secret> {
  key: string;
  stopHearing: () => void;
}

/** The Secrets that Registries name, each watched by itself: a changed password is seen at once, and no other is read. */
export class SourceSecrets {
  readonly #cache: Cache;
  readonly #changed: (registry: string) => void;
  /** By Registry; two that name the same Secret share its watch. */
  readonly #watched = new Map<string, Watched>();

  constructor(cache: Cache, changed: (registry: string) => void) {
    this.#cache = cache;
    this.#changed = changed;
  }

  /** The Secret of a Registry, as soon as it is known whether there is one. The one that it named before is let go. */
  async get(
    registry: string,
    { name, namespace }: NonNullable<RegistrySpec["credentials"]>,
    signal: AbortSignal,
  ): Promise<Secret | undefined> {
    const key = `${namespace}/${name}`;
    let watched = this.#watched.get(registry);
    if (watched?.key !== key) {
      this.release(registry);
      const fieldSelector = `metadata.name=${name}`;
      const borrowed = this.#cache.borrow(SECRETS, { namespace, fieldSelector, transform: keep });
      const stopHearing = borrowed.informer.onChange(() => this.#changed(registry));
      watched = { ...borrowed, key, stopHearing };
      this.#watched.set(registry, watched);
    }
    // Whoever may not read the Secret waits no longer than its reconcile may take.
    await Promise.race([watched.informer.synced(), aborted(signal)]);
    signal.throwIfAborted();
    return watched.informer.get(key);
  }

  /** The Registry needs its Secret no more: without another that names it, its watch ends. */
  release(registry: string): void {
    const watched = this.#watched.get(registry);
    this.#watched.delete(registry);
    watched?.stopHearing();
    watched?.release();
  }
}

/** The data of a Secret as text. */
export function decoded({ data = {} }: Secret): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
  );
}
