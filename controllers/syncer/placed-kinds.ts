// Which kinds the hub ever placed in the member, in the member's own record of its hub: objects of them are looked for also when no
// Share names the kind any more, by this process or by the next one.
import { SYSTEM_NAMESPACE } from "../../api";
import { isNotFound, isRecord, type ApiClient, type Resource } from "../runtime";
import { CONFIG_MAPS } from "./kinds";
import { HUB_RECORD } from "./names";

const PREFIX = "kind.";
const REF = { namespace: SYSTEM_NAMESPACE, name: HUB_RECORD };

/** The kinds in the record, one key of the ConfigMap each, so that two syncers do not overwrite each other. */
export class PlacedKinds {
  readonly #member: ApiClient;
  readonly #known = new Map<string, Resource>();
  /** The last write: the next begins when it has ended, so that they arrive in order. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(member: ApiClient) {
    this.#member = member;
  }

  /** Reads the record, and gives the kinds in it. */
  async load(signal: AbortSignal): Promise<Resource[]> {
    const { data = {} } = await this.#member.get(CONFIG_MAPS, REF, signal);
    this.#known.clear();
    for (const [key, value] of Object.entries(data)) {
      const resource = resourceIn(key, value);
      if (resource !== undefined) this.#known.set(key, resource);
    }
    return [...this.#known.values()];
  }

  /** Records a kind before the first object of it is written. */
  async add(resource: Resource, signal: AbortSignal): Promise<void> {
    const { group, version, kind, plural, namespaced } = resource;
    const key = keyOfKind(resource);
    if (this.#known.has(key)) return;
    await this.#write(key, JSON.stringify({ kind, namespaced }), signal);
    this.#known.set(key, { group, version, kind, plural, namespaced });
  }

  /** Forgets a kind of which nothing of the hub is there. */
  async remove(resource: Resource, signal: AbortSignal): Promise<void> {
    const key = keyOfKind(resource);
    if (!this.#known.delete(key)) return;
    await this.#write(key, null, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  async #write(key: string, value: string | null, signal: AbortSignal): Promise<void> {
    const body = { data: { [key]: value } };
    const write = this.#last.then(() => this.#member.patch(CONFIG_MAPS, REF, body, { signal }));
    this.#last = write.catch(() => undefined);
    await write;
  }
}

function keyOfKind({ plural, version, group }: Resource): string {
  return `${PREFIX}${plural}.${version}.${group || "core"}`;
}

function resourceIn(key: string, value: string): Resource | undefined {
  const [, plural, version, group] = /^kind\.([^.]+)\.([^.]+)\.(.+)$/.exec(key) ?? [];
  if (plural === undefined || version === undefined || group === undefined) return undefined;
  let found: unknown;
  try {
    found = JSON.parse(value);
  } catch {
    return undefined;
  }
  if (!isRecord(found) || typeof found.kind !== "string") return undefined;
  return {
    group: group === "core" ? "" : group,
    version,
    kind: found.kind,
    plural,
    namespaced: found.namespaced === true,
  };
}
