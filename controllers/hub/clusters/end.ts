// Clears away what was a cluster's when it goes: its Shares, with their objects in the member or without, its rights and its namespace.
import { clusterNamespace } from "../../../api/hub";
import { ALLOW_DELETION } from "../../app/deletion-guard";
import { isNotFound, type ApiClient, type Informer, type Recorder } from "../../runtime";
import { NAMESPACES, SHARES, type ShareObject } from "../../syncer/kinds";
import { REMOVE, SHARE_FINALIZER } from "../../syncer/names";
import { DEFINITIONS } from "../apis/kinds";
import { CLUSTERS, type ClusterObject } from "../kinds";
import { rightsOf } from "./rights";

/** On a Cluster: what is its on the hub and in the member is not cleared away yet. */
export const CLUSTER_FINALIZER = "fleetwright.dev/clusters";
const END_WITHIN_MS = 600_000;

/** What the end of a cluster works with. */
export interface EndTools {
  client: ApiClient;
  shares: Informer<ShareObject>;
  recorder: Recorder;
  /** How long it waits for the cluster's syncer. @default ten minutes */
  endWithinMs?: number | undefined;
}

/** Ends clusters. */
export class ClusterEnd {
  readonly #tools: EndTools;

  constructor(tools: EndTools) {
    this.#tools = tools;
  }

  /** Clears away; says what it waits for. */
  async clear(cluster: ClusterObject, signal: AbortSignal): Promise<string | undefined> {
    const { client, recorder, shares, endWithinMs = END_WITHIN_MS } = this.#tools;
    const { name, deletionTimestamp = "", finalizers = [] } = cluster.metadata;
    if (!finalizers.includes(CLUSTER_FINALIZER)) return undefined;
    const namespace = clusterNamespace(name);
    const own = shares.byIndex("namespace", namespace);
    const isRemoving =
      cluster.spec.onRemove === "Delete" && cluster.spec.accepted && (await this.#isDefined(signal));
    for (const share of own) await this.#remove(share, isRemoving, signal);
    const isLate = client.clock.now() - Date.parse(deletionTimestamp) > endWithinMs;
    if (own.length > 0 && isRemoving && !isLate)
      return `${own.length} Shares, with their objects in the member`;
    if (own.length > 0) {
      if (isRemoving)
        recorder.record(CLUSTERS, cluster, {
          type: "Warning",
          reason: "Orphaned",
          action: "Remove",
          note: `It did not answer within ${Math.round(endWithinMs / 6000) / 10} minutes; these stay in it: ${own
            .slice(0, 10)
            .map(({ spec: { root } }) => `${root.kind} ${root.namespace ?? ""}/${root.name}`)
            .join(", ")}${own.length > 10 ? ` and ${own.length - 10} more` : ""}.`,
        });
      await this.letGo(own, signal);
      return `${own.length} Shares`;
    }
    for (const { resource, object } of rightsOf(name))
      if (resource.kind.endsWith("Binding"))
        await client.delete(resource, object.metadata, {}, signal).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    try {
      await client.delete(NAMESPACES, { name: namespace }, {}, signal);
      return "its namespace";
    } catch (error) {
      if (!isNotFound(error)) return "its namespace";
    }
    await setFinalizers(
      client,
      cluster,
      finalizers.filter((one) => one !== CLUSTER_FINALIZER),
      signal,
    );
    return undefined;
  }

  // Whoever deletes the definition of Clusters deletes all of them, and has not said of any what its onRemove says.
  async #isDefined(signal: AbortSignal): Promise<boolean> {
    const name = `${CLUSTERS.plural}.${CLUSTERS.group}`;
    try {
      const definition = await this.#tools.client.get(DEFINITIONS, { name }, signal);
      return definition.metadata.deletionTimestamp === undefined;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  }

  async #remove({ metadata }: ShareObject, isRemoving: boolean, signal: AbortSignal): Promise<void> {
    const { client } = this.#tools;
    const { uid, annotations = {}, deletionTimestamp } = metadata;
    try {
      // Whoever deletes a cluster with onRemove: Delete has said that all of it goes.
      const wanted = { [REMOVE]: "true", [ALLOW_DELETION]: "true" };
      if (isRemoving && annotations[ALLOW_DELETION] !== "true")
        await client.patch(SHARES, metadata, { metadata: { uid, annotations: wanted } }, { signal });
      if (deletionTimestamp === undefined) await client.delete(SHARES, metadata, { uid }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Takes the syncer's finalizer off Shares that go; their objects stay in the member. */
  async letGo(shares: readonly ShareObject[], signal: AbortSignal): Promise<void> {
    for (const { metadata } of shares) {
      const { uid, resourceVersion, finalizers = [], deletionTimestamp } = metadata;
      if (deletionTimestamp === undefined || !finalizers.includes(SHARE_FINALIZER)) continue;
      const rest = finalizers.filter((one) => one !== SHARE_FINALIZER);
      await this.#tools.client
        .patch(SHARES, metadata, { metadata: { uid, resourceVersion, finalizers: rest } }, { signal })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    }
  }
}

/** Writes exactly these finalizers, unless the Cluster changed meanwhile. */
export async function setFinalizers(
  client: ApiClient,
  { metadata }: ClusterObject,
  finalizers: string[],
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = metadata;
  await client
    .patch(CLUSTERS, metadata, { metadata: { uid, resourceVersion, finalizers } }, { signal })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}
