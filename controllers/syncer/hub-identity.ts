// Which hub this is, and whether the member belongs to it. Without both, nothing is written into the member.
import { SYSTEM_NAMESPACE } from "../../api";
import { isAlreadyExists, isNotFound, type ApiClient, type KubernetesObject } from "../runtime";
import { CONFIG_MAPS, NAMESPACES, type ConfigMapObject } from "./kinds";
import { HUB_RECORD } from "./names";

/** An API server takes longer to start: who answers now is who answered this long ago. */
const CONFIRMED_MS = 1000;

/** The hub that answers is not the one that the member belongs to. */
export class WrongHubError extends Error {
  override readonly name = "WrongHubError";
}

/** Knows the hub by the UID of its namespace kube-system, and the member's record of it. */
export class HubIdentity {
  readonly #hub: ApiClient;
  readonly #member: ApiClient;
  readonly #cluster: string;
  #known: string | undefined;
  #confirmedAt = -Infinity;

  constructor(hub: ApiClient, member: ApiClient, cluster: string) {
    this.#hub = hub;
    this.#member = member;
    this.#cluster = cluster;
  }

  /** The UID of the hub; undefined until the member was claimed for it. */
  get uid(): string | undefined {
    return this.#known;
  }

  /** Records in the member that it belongs to this hub under this name, or throws if it belongs to another. */
  async claim(signal: AbortSignal): Promise<string> {
    const uid = await this.#readUid(signal);
    const record = (await this.#record(signal)) ?? (await this.#writeRecord(uid, signal));
    const { hub = "", cluster = "" } = record.data ?? {};
    if (hub !== uid)
      throw new WrongHubError(
        `The member belongs to the hub ${hub} as cluster ${JSON.stringify(cluster)}, and the hub that answers is ${uid}: ` +
          `unregister it there, or, if that hub is gone for ever, delete ConfigMap ${SYSTEM_NAMESPACE}/${HUB_RECORD} in the member.`,
      );
    if (cluster !== this.#cluster)
      throw new WrongHubError(
        `The member is registered on this hub as ${JSON.stringify(cluster)}, not as ${JSON.stringify(this.#cluster)}: ` +
          `use that name, or unregister it first.`,
      );
    this.#known = uid;
    this.#confirmedAt = this.#hub.clock.monotonic();
    return uid;
  }

  /** Throws unless the hub that answers now is the one that was claimed for. What was asked lately counts. */
  async confirm(signal: AbortSignal, maxAgeMs = CONFIRMED_MS): Promise<string> {
    const known = this.#known;
    if (known === undefined) return this.claim(signal);
    if (this.#hub.clock.monotonic() - this.#confirmedAt < maxAgeMs) return known;
    const uid = await this.#readUid(signal);
    if (uid !== known)
      throw new WrongHubError(
        `The hub was ${known} and is ${uid} now: its storage was replaced, or its address belongs to another. Nothing is changed in the member until the hub is back.`,
      );
    this.#confirmedAt = this.#hub.clock.monotonic();
    return known;
  }

  async #readUid(signal: AbortSignal): Promise<string> {
    const { metadata } = await this.#hub.get(NAMESPACES, { name: "kube-system" }, signal);
    if (metadata.uid === undefined) throw new WrongHubError("The hub's namespace kube-system has no UID.");
    return metadata.uid;
  }

  async #record(signal: AbortSignal): Promise<ConfigMapObject | undefined> {
    try {
      return await this.#member.get(CONFIG_MAPS, { namespace: SYSTEM_NAMESPACE, name: HUB_RECORD }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }

  async #writeRecord(uid: string, signal: AbortSignal): Promise<ConfigMapObject> {
    const labels = { "app.kubernetes.io/managed-by": "fleetwright" };
    const namespace: KubernetesObject = { metadata: { name: SYSTEM_NAMESPACE, labels } };
    const record: ConfigMapObject = {
      metadata: { namespace: SYSTEM_NAMESPACE, name: HUB_RECORD, labels },
      data: { hub: uid, cluster: this.#cluster },
    };
    try {
      return await this.#member.create(CONFIG_MAPS, record, signal);
    } catch (error) {
      // Two hubs may claim it at once: one of them is first.
      if (isAlreadyExists(error)) return (await this.#record(signal)) ?? record;
      if (!isNotFound(error)) throw error;
    }
    await this.#member.create(NAMESPACES, namespace, signal).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    return this.#member.create(CONFIG_MAPS, record, signal);
  }
}
