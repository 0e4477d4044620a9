import type { Cache, Informer } from "../../runtime";
import { SECRETS, type Secret } from "../native-resources";
import type { RegistrySpec } from "./credential";

function keep(secret: Secret): Secret {
  secret.metadata.managedFields = undefined;
  return secret;
}

/** The Secrets that Registries name, each watched by itself: a changed password is seen at once, and no other is read. */
export class SourceSecrets {
  readonly #cache: Cache;
  readonly #changed: () => void;
  readonly #informers = new Map<string, Informer<Secret>>();

  constructor(cache: Cache, changed: () => void) {
    this.#cache = cache;
    this.#changed = changed;
  }

  /** The Secret, as soon as it is known whether there is one. */
  async get({ name, namespace }: NonNullable<RegistrySpec["credentials"]>): Promise<Secret | undefined> {
    const key = `${namespace}/${name}`;
    let informer = this.#informers.get(key);
    if (informer === undefined) {
      const fieldSelector = `metadata.name=${name}`;
      informer = this.#cache.informer(SECRETS, { namespace, fieldSelector, transform: keep });
      this.#informers.set(key, informer);
      await informer.synced();
      informer.onChange(this.#changed);
    }
    await informer.synced();
    return informer.get(key);
  }
}

/** The data of a Secret as text. */
export function decoded({ data = {} }: Secret): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
  );
}
