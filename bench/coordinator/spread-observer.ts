import { SECRETS, SERVICE_ACCOUNTS } from "../../controllers/coordinator/native-resources";
import { type ApiClient, Informer } from "../../controllers/runtime";

const PATIENCE_MS = 120_000;

/** Sees from outside, by watches of its own, where a pull secret is and which service account names it. */
export class SpreadObserver {
  readonly #end = new AbortController();
  readonly #runs: Promise<void>[] = [];
  readonly #synced: Promise<void>[] = [];
  /** When what was last seen in a namespace. */
  readonly #secrets = new Map<string, number>();
  readonly #accounts = new Map<string, { at: number; names: boolean }>();
  #wake: () => void = () => {};

  private constructor(client: ApiClient, secret: string) {
    const secrets = new Informer(client, SECRETS, { fieldSelector: `metadata.name=${secret}` });
    const accounts = new Informer(client, SERVICE_ACCOUNTS, { fieldSelector: "metadata.name=fleetwright" });
    secrets.onChange(({ before, after }) => {
      const namespace = (after ?? before)?.metadata.namespace ?? "";
      if (after === undefined) this.#secrets.delete(namespace);
      else this.#secrets.set(namespace, performance.now());
      this.#wake();
    });
    accounts.onChange(({ before, after }) => {
      const namespace = (after ?? before)?.metadata.namespace ?? "";
      const names = after?.imagePullSecrets?.some(({ name }) => name === secret) ?? false;
      if (after === undefined) this.#accounts.delete(namespace);
      else this.#accounts.set(namespace, { at: performance.now(), names });
      this.#wake();
    });
    this.#runs.push(secrets.run(this.#end.signal), accounts.run(this.#end.signal));
    this.#synced.push(secrets.synced(), accounts.synced());
  }

  static async start(client: ApiClient, secret: string): Promise<SpreadObserver> {
    const made = new SpreadObserver(client, secret);
    await Promise.all(made.#synced);
    return made;
  }

  /** Waits until every namespace has its service account. */
  async accounts(namespaces: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#until("the accounts", namespaces, (name) => this.#accounts.get(name)?.at, signal);
  }

  /** Waits until every namespace has the secret and its account names it. Gives when the last one had. */
  spread(namespaces: readonly string[], signal: AbortSignal): Promise<number> {
    return this.#until(
      "the secrets",
      namespaces,
      (name) => {
        const account = this.#accounts.get(name);
        const secret = this.#secrets.get(name);
        return account?.names === true && secret !== undefined ? Math.max(account.at, secret) : undefined;
      },
      signal,
    );
  }

  /** Waits until a namespace has the secret anew. Gives when. */
  again(namespace: string, since: number, signal: AbortSignal): Promise<number> {
    const later = (): number | undefined => {
      const at = this.#secrets.get(namespace) ?? 0;
      return at > since ? at : undefined;
    };
    return this.#until("the secret again", [namespace], later, signal);
  }

  /** Waits until no namespace has anything any more. */
  async gone(namespaces: readonly string[], signal: AbortSignal): Promise<void> {
    const isGone = (name: string): number | undefined =>
      this.#secrets.has(name) || this.#accounts.has(name) ? undefined : 0;
    await this.#until("nothing", namespaces, isGone, signal);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#runs);
  }

  async #until(
    what: string,
    namespaces: readonly string[],
    seenAt: (namespace: string) => number | undefined,
    signal: AbortSignal,
  ): Promise<number> {
    const missing = new Set(namespaces);
    const end = performance.now() + PATIENCE_MS;
    let last = 0;
    for (;;) {
      for (const name of missing) {
        const at = seenAt(name);
        if (at === undefined) continue;
        last = Math.max(last, at);
        missing.delete(name);
      }
      if (missing.size === 0) return last;
      signal.throwIfAborted();
      if (performance.now() > end)
        throw new Error(
          `Waited in vain for ${what} in ${missing.size} namespaces, such as ${[...missing][0] ?? ""}.`,
        );
      // Woken by what is seen; now and then without, for the deadline.
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200);
        this.#wake = () => {
          clearTimeout(timer);
          // All that came at once is looked at together.
          setImmediate(resolve);
        };
      });
    }
  }
}
