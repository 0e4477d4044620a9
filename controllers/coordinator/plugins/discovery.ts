import { ApiError, type ApiClient, type Resource } from "../../runtime";
import { isRecord, type Manifest } from "./manifest";

/** Where objects of a kind are served; or that there is no such kind; or why nobody can say at the moment. */
export type Found = { resource: Resource } | { missing: true } | { unavailable: string };

const KEEP_MS = 60_000;
const KEEP_MISSING_MS = 1000;

interface Known {
  until: number;
  resources: ReadonlyMap<string, Resource> | undefined;
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
    { apiVersion, kind }: Pick<Manifest, "apiVersion" | "kind">,
    signal: AbortSignal,
  ): Promise<Found> {
    try {
      const resource = (await this.#group(apiVersion, kind, signal))?.get(kind);
      return resource === undefined ? { missing: true } : { resource };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { unavailable: error.status.message ?? `${error.code}` };
    }
  }

  async #group(
    apiVersion: string,
    kind: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Resource> | undefined> {
    const now = this.#client.clock.monotonic();
    const known = this.#known.get(apiVersion);
    // A kind that was not there a moment ago may be there now: its definition may have just been made.
    const wait = known?.resources?.has(kind) === true ? 0 : KEEP_MS - KEEP_MISSING_MS;
    if (known !== undefined && now < known.until - wait) return known.resources;
    const resources = await this.#ask(apiVersion, signal);
    this.#known.set(apiVersion, { until: now + KEEP_MS, resources });
    return resources;
  }

  async #ask(apiVersion: string, signal: AbortSignal): Promise<Map<string, Resource> | undefined> {
    const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    let answer: unknown;
    try {
      answer = await this.#client.request({ method: "GET", path, signal });
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
    const list: unknown[] = isRecord(answer) && Array.isArray(answer.resources) ? answer.resources : [];
    const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const found = new Map<string, Resource>();
    for (const entry of list) {
      if (!isRecord(entry)) continue;
      const { name: plural, kind, namespaced } = entry;
      if (typeof plural !== "string" || typeof kind !== "string" || plural.includes("/")) continue;
      found.set(kind, { group, version, kind, plural, namespaced: namespaced === true });
    }
    return found;
  }
}
