// The objects in the member that came from the hub: one informer for each kind of which there is a Share, or an object that came
// from the hub, and no longer.
import {
  Cache,
  ConnectionError,
  errorMessage,
  keyOf,
  resourcePath,
  sleep,
  type ApiClient,
  type BorrowedInformer,
  type Informer,
  type KubernetesObject,
  type Logger,
  type Resource,
} from "../runtime";
import { FIELD_MANAGER, HUB_ANNOTATION, HUB_OWNER, OWNER_LABEL, SHARE_ANNOTATION } from "./names";
import { PlacedKinds } from "./placed-kinds";

const LIST_WITHIN_MS = 15_000;
/** Their data are never looked at, and secrets have no business in memory. */
const WITHOUT_DATA = new Set(["ConfigMap", "Secret"]);

interface Held {
  resource: Resource;
  borrowed: BorrowedInformer<KubernetesObject>;
  by: Set<string>;
}

/** The informers of a member. */
export class MemberObjects {
  readonly #client: ApiClient;
  readonly #cache: Cache;
  readonly #held = new Map<string, Held>();
  readonly #ofShare = new Map<string, string>();
  readonly #onChange: (share: string) => void;
  readonly #kinds: PlacedKinds;
  readonly #log: Logger;
  #ended = AbortSignal.abort();

  /** `onChange` hears the name of a Share whose object changed. */
  constructor(client: ApiClient, log: Logger, onChange: (share: string) => void) {
    this.#client = client;
    this.#cache = new Cache(client, { log });
    this.#kinds = new PlacedKinds(client);
    this.#log = log;
    this.#onChange = onChange;
  }

  run(signal: AbortSignal): Promise<void> {
    this.#ended = signal;
    return this.#cache.run(signal);
  }

  /** Begins to follow the kinds that were placed before; of a kind without objects of the hub nothing is kept. */
  async resume(signal: AbortSignal): Promise<void> {
    for (const resource of await this.#kinds.load(signal)) {
      const held = this.#held.get(resourcePath(resource)) ?? this.#borrow(resourcePath(resource), resource);
      void held.borrowed.informer.synced().then(() => this.#dropIdle(held));
    }
  }

  /** The informer of a Share's kind, whole; the Share holds it until it is released. */
  async hold(share: string, resource: Resource, signal: AbortSignal): Promise<Informer<KubernetesObject>> {
    const path = resourcePath(resource);
    if (this.#ofShare.get(share) !== path) this.release(share);
    const held = this.#held.get(path) ?? this.#borrow(path, resource);
    held.by.add(share);
    this.#ofShare.set(share, path);
    // Recorded before anything of it is written, so that it is found again whatever ends this process.
    await this.#kinds.add(resource, signal);
    const { informer } = held.borrowed;
    if (await this.#isSynced(informer, signal)) return informer;
    const { failure } = informer.state;
    throw new ConnectionError(
      `The member's ${resource.plural} could not be listed: ${failure?.message ?? `no answer within ${LIST_WITHIN_MS} ms`}.`,
      "ERR_NOT_SYNCED",
    );
  }

  async #isSynced(informer: Informer<KubernetesObject>, signal: AbortSignal): Promise<boolean> {
    if (informer.hasSynced) return true;
    const end = new AbortController();
    const onAbort = (): void => end.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    const isSynced = await Promise.race([
      informer.synced().then(() => true),
      sleep(this.#client.clock, LIST_WITHIN_MS, end.signal).then(() => false),
    ]);
    end.abort();
    signal.removeEventListener("abort", onAbort);
    return isSynced;
  }

  /** The Share is gone; with the last one of a kind its informer ends, unless objects of the hub are left there. */
  release(share: string): void {
    const path = this.#ofShare.get(share);
    const held = path === undefined ? undefined : this.#held.get(path);
    this.#ofShare.delete(share);
    if (path === undefined || held === undefined) return;
    held.by.delete(share);
    this.#dropIdle(held);
  }

  #dropIdle(held: Held): void {
    const { resource, by, borrowed } = held;
    const path = resourcePath(resource);
    if (this.#held.get(path) !== held || by.size > 0 || this.#ended.aborted) return;
    if (!borrowed.informer.hasSynced || borrowed.informer.list().some(cameFromHub)) return;
    this.#held.delete(path);
    borrowed.release();
    // If it cannot be written, the next process looks at one kind too many.
    this.#kinds.remove(resource, this.#ended).catch((error: unknown) => {
      if (!this.#ended.aborted)
        this.#log.info("A kind of which nothing is left could not be taken off the record.", {
          kind: resource.kind,
          cause: errorMessage(error),
        });
    });
  }

  /** The kinds that are watched. */
  get resources(): Resource[] {
    return Array.from(this.#held.values(), ({ resource }) => resource);
  }

  /** Objects that came from a hub and whose Share is not among those that are known, as `kind namespace/name`. */
  orphans(isKnown: (share: string) => boolean): string[] {
    return [...this.#held.values()].flatMap(({ resource, borrowed: { informer } }) =>
      informer
        .list()
        .filter(
          (object) => cameFromHub(object) && !isKnown(object.metadata.annotations?.[SHARE_ANNOTATION] ?? ""),
        )
        .map((object) => `${resource.kind} ${keyOf(object)}`),
    );
  }

  #borrow(path: string, resource: Resource): Held {
    const borrowed = this.#cache.borrow(resource, {
      labelSelector: `${OWNER_LABEL}=${HUB_OWNER}`,
      transform: reduced,
    });
    const held: Held = { resource, borrowed, by: new Set<string>() };
    this.#held.set(path, held);
    borrowed.informer.onChange(({ before, after }) => {
      const share = (after ?? before)?.metadata.annotations?.[SHARE_ANNOTATION];
      if (share !== undefined) this.#onChange(share);
      if (after === undefined) this.#dropIdle(held);
    });
    return held;
  }
}

// What merely has the label was handed over by a person, and was never ours.
function cameFromHub({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.[HUB_ANNOTATION] !== undefined;
}

function reduced<T extends KubernetesObject>(object: T): T {
  object.metadata.managedFields = object.metadata.managedFields?.filter(
    ({ manager }) => manager === FIELD_MANAGER,
  );
  if (WITHOUT_DATA.has(object.kind ?? "")) {
    Reflect.set(object, "data", undefined);
    Reflect.set(object, "binaryData", undefined);
  }
  return object;
}
