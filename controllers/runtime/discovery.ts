// Finds out where the objects of a kind are served, as kinds come and go.
import type { ApiClient } from "./api-client";
import { ApiError, ConnectionError } from "./api-error";
import { isRecord, type Resource } from "./object";

/** Where objects of a kind are served; or that there is no such kind; or why nobody can say right now. */
export type Found = { resource: ServedResource } | { missing: true } | { unavailable: string };

const KEEP_MS = 60_000;
const KEEP_MISSING_MS = 1000;
const KEEP_UNAVAILABLE_MS = 5000;

/** A resource as an API server serves it. */
export interface ServedResource extends Resource {
  /** What can be done with it, such as `watch`. */
  verbs: readonly string[];
  /** Whether its status is written apart from the rest. */
  hasStatus: boolean;
}

interface Known {
  at: number;
  resources: ReadonlyMap<string, ServedResource>;
  unavailable?: string;
}

/**
 * Finds the resource of a kind. Asks for one group at a time, so that an aggregated API that is down hides nothing but
 * itself.
 */
export class Discovery {
  readonly #client: ApiClient;
  readonly #known = new Map<string, Known>();

  constructor(client: ApiClient) {
    this.#client = client;
  }

  async find(
    { apiVersion, kind }: { apiVersion: string; kind: string },
    signal: AbortSignal,
  ): Promise<Found> {
    const now = this.#client.clock.monotonic();
    let known = this.#known.get(apiVersion);
    if (known === undefined || now - known.at >= keepMs(known, kind)) {
      known = { at: now, ...(await this.#ask(apiVersion, signal)) };
      this.#known.set(apiVersion, known);
    }
    const resource = known.resources.get(kind);
    if (resource !== undefined) return { resource };
    return known.unavailable === undefined ? { missing: true } : { unavailable: known.unavailable };
  }

  /** Forgets what is known of an API, because its definitions changed. */
  forget(apiVersion: string): void {
    this.#known.delete(apiVersion);
  }

  async #ask(apiVersion: string, signal: AbortSignal): Promise<Omit<Known, "at">> {
    const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    let answer: unknown;
    try {
      answer = await this.#client.request({ method: "GET", path, signal });
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return { resources: new Map() };
      if (error instanceof ApiError)
        return { resources: new Map(), unavailable: error.status.message ?? `${error.code}` };
      // An API that never answers is down, too.
      if (error instanceof ConnectionError && error.code === "ETIMEDOUT")
        return { resources: new Map(), unavailable: error.message };
      throw error;
    }
    const list: unknown[] = isRecord(answer) && Array.isArray(answer.resources) ? answer.resources : [];
    const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const found = new Map<string, ServedResource>();
    const names = new Set(list.flatMap((entry) => (isRecord(entry) ? [entry.name] : [])));
    for (const entry of list) {
      if (!isRecord(entry)) continue;
      const { name: plural, kind, namespaced, verbs } = entry;
      if (typeof plural !== "string" || typeof kind !== "string" || plural.includes("/")) continue;
      found.set(kind, {
        group,
        version,
        kind,
        plural,
        namespaced: namespaced === true,
        verbs: Array.isArray(verbs) ? verbs.filter((verb) => typeof verb === "string") : [],
        hasStatus: names.has(`${plural}/status`),
      });
    }
    return { resources: found };
  }
}

// A kind that was not there just now may be there now: its definition may have just been made.
function keepMs({ resources, unavailable }: Known, kind: string): number {
  if (resources.has(kind)) return KEEP_MS;
  return unavailable === undefined ? KEEP_MISSING_MS : KEEP_UNAVAILABLE_MS;
}
