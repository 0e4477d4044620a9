// Keeps the namespace and the rights of a cluster, evaluates it by its heartbeat, and clears away what was its when it goes.
import { clusterNamespace } from "../../../api/hub";
import { ALLOW_DELETION } from "../../app/deletion-guard";
import { isNamespaceGone } from "../../app/ownership";
import type { StatusWriter } from "../../app/status";
import {
  Applier,
  isAlreadyExists,
  isNotFound,
  isTrue,
  LEASES,
  type ApiClient,
  type Informer,
  type Lease,
  type Recorder,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { NAMESPACES, SHARES, type ShareObject } from "../../syncer/kinds";
import { HEARTBEAT, REMOVE, REPORT_ANNOTATION, SHARE_FINALIZER } from "../../syncer/names";
import { CLUSTERS, type ClusterObject, type ImportObject } from "../kinds";
import { conditionsOf, heartbeatSeconds, isHubCutOff, lostSince, MISSES, reportOf, type Seen } from "./plan";
import { rightsOf } from "./rights";

/** On a Cluster: what is its on the hub and in the member is not cleared away yet. */
export const CLUSTER_FINALIZER = "fleetwright.dev/clusters";
/** How long the end of a cluster waits for its syncer. */
const END_WITHIN_MS = 600_000;
const ENDING_MS = 2000;
const STATUS_INTERVAL_MS = 1000;
const KEPT_MS = 15_000;

/** What a reconciler works with. */
export interface Tools {
  client: ApiClient;
  clusters: Informer<ClusterObject>;
  leases: Informer<Lease>;
  shares: Informer<ShareObject>;
  imports: Informer<ImportObject> | undefined;
  status: StatusWriter<ClusterObject["spec"], NonNullable<ClusterObject["status"]>>;
  recorder: Recorder;
  /** Overrides the time between heartbeats; for tests. */
  heartbeatSeconds?: number | undefined;
}

/** Reconciles Clusters. */
export class ClusterReconciler {
  readonly #tools: Tools;
  readonly #applier: Applier;
  readonly #seen = new Map<string, Seen>();
  readonly #statusAt = new Map<string, number>();
  readonly #keptAt = new Map<string, { generation: number | undefined; at: number }>();

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#applier = new Applier(tools.client, "fleetwright-clusters");
  }

  async reconcile(name: string, { signal, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const cluster = this.#tools.clusters.get(name);
    if (cluster === undefined) {
      this.#seen.delete(name);
      this.#statusAt.delete(name);
      this.#keptAt.delete(name);
      return undefined;
    }
    if (cluster.metadata.deletionTimestamp !== undefined) {
      const waiting = await this.#end(cluster, signal);
      if (waiting !== undefined) log.info("The end of the cluster waits.", { waiting });
      return waiting === undefined ? undefined : { requeueAfterMs: ENDING_MS };
    }
    await this.#hold(cluster, signal);
    // Heartbeats come often; what a cluster has on the hub is looked at when it changed, and now and then.
    const kept = this.#keptAt.get(name);
    const now = this.#tools.client.clock.monotonic();
    if (kept?.generation !== cluster.metadata.generation || now - (kept?.at ?? -Infinity) > KEPT_MS) {
      if (!(await this.#keepNamespace(cluster, signal))) return { requeueAfterMs: ENDING_MS };
      await this.#keepRights(cluster, signal);
      this.#keptAt.set(name, { generation: cluster.metadata.generation, at: now });
    }
    return this.#evaluate(cluster, signal);
  }

  async #evaluate(cluster: ClusterObject, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, shares, status } = this.#tools;
    const { name } = cluster.metadata;
    const now = client.clock.monotonic();
    const seconds = this.#seconds();
    const lease = this.#note(name, now);
    if (lease !== undefined && lease.spec?.leaseDurationSeconds !== seconds)
      await client
        .patch(LEASES, lease.metadata, { spec: { leaseDurationSeconds: seconds } }, { signal })
        .catch(() => undefined);
    const since = lostSince(this.#seen.get(name), seconds, now);
    const own = shares.byIndex("namespace", clusterNamespace(name));
    const imports = this.#tools.imports?.byIndex("cluster", name) ?? [];
    const report = reportOf(lease?.metadata.annotations?.[REPORT_ANNOTATION]);
    const counts = {
      applied: own.filter((share) => isTrue(conditionsIn(share), "Applied")).length,
      total: own.length,
    };
    const conditions = conditionsOf(cluster, {
      report,
      hasBeaten: lease !== undefined,
      isLost: since !== undefined,
      isHubCutOff: since !== undefined && isHubCutOff(since, this.#lost(seconds, now), seconds),
      shares: counts,
      imports: imports.length,
      incompatible: imports
        .filter(({ status: found }) =>
          found?.conditions?.some(({ type, status: is }) => type === "Compatible" && is === "False"),
        )
        .map(({ spec }) => `${spec.resource}.${spec.version}.${spec.group || "core"}`),
    });
    const waited = now - (this.#statusAt.get(name) ?? -Infinity);
    const next = Math.max(1000, (this.#seen.get(name)?.at ?? now) + MISSES * seconds * 1000 - now);
    if (waited < STATUS_INTERVAL_MS) return { requeueAfterMs: Math.min(next, STATUS_INTERVAL_MS - waited) };
    this.#statusAt.set(name, now);
    const { version, uid, endpoint, nodes, capacity, allocatable, certificateExpires, synced } = report ?? {};
    await status.write(
      cluster,
      conditions,
      {
        ...defined({ version, uid, endpoint, nodes, capacity, allocatable, certificateExpires }),
        ...(synced === undefined || synced.length === 0 ? {} : { synced }),
        shares: counts,
      },
      signal,
    );
    // Lost ones are evaluated again, too: with another lost, it may be the hub.
    return { requeueAfterMs: since === undefined ? next : seconds * 1000 };
  }

  #seconds(): number {
    return this.#tools.heartbeatSeconds ?? heartbeatSeconds(this.#tools.clusters.size);
  }

  #note(name: string, now: number): Lease | undefined {
    const lease = this.#tools.leases.get(`${clusterNamespace(name)}/${HEARTBEAT}`);
    const renewTime = lease?.spec?.renewTime;
    if (renewTime !== undefined && this.#seen.get(name)?.renewTime !== renewTime)
      this.#seen.set(name, { renewTime, at: now });
    return renewTime === undefined ? undefined : lease;
  }

  #lost(seconds: number, now: number): (number | undefined)[] {
    return this.#tools.clusters
      .list()
      .filter(({ spec }) => spec.accepted)
      .map(({ metadata: { name } }) => {
        this.#note(name, now);
        return lostSince(this.#seen.get(name), seconds, now);
      });
  }

  async #keepNamespace({ metadata }: ClusterObject, signal: AbortSignal): Promise<boolean> {
    const { client, shares } = this.#tools;
    const name = clusterNamespace(metadata.name);
    try {
      const found = await client.get(NAMESPACES, { name }, signal);
      if (found.metadata.deletionTimestamp === undefined) return true;
      // Its Shares go without a word of their roots: their objects stay in the member, and the Shares come again.
      await this.#letGo(shares.byIndex("namespace", name), signal);
      return false;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    const labels = { "app.kubernetes.io/managed-by": "fleetwright" };
    await client.create(NAMESPACES, { metadata: { name, labels } }, signal).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    return true;
  }

  /** Rights are given once the cluster is accepted, and taken when it is not any more. */
  async #keepRights({ metadata, spec }: ClusterObject, signal: AbortSignal): Promise<void> {
    const { client } = this.#tools;
    for (const { resource, object } of rightsOf(metadata.name)) {
      if (spec.accepted) {
        try {
          await this.#applier.apply(resource, object, {
            force: true,
            signal,
            ...(await this.#live(resource, object, signal)),
          });
        } catch (error) {
          if (!isNamespaceGone(error)) throw error;
        }
      } else if (resource.kind.endsWith("Binding"))
        await client.delete(resource, object.metadata, {}, signal).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    }
  }

  async #live(
    resource: Parameters<ApiClient["get"]>[0],
    { metadata }: { metadata: { name: string; namespace?: string } },
    signal: AbortSignal,
  ): Promise<object> {
    try {
      return { live: await this.#tools.client.get(resource, metadata, signal) };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return {};
    }
  }

  async #hold(cluster: ClusterObject, signal: AbortSignal): Promise<void> {
    const { finalizers = [] } = cluster.metadata;
    if (!finalizers.includes(CLUSTER_FINALIZER))
      await this.#setFinalizers(cluster, [...finalizers, CLUSTER_FINALIZER], signal);
  }

  /** Clears away; says what it waits for. */
  async #end(cluster: ClusterObject, signal: AbortSignal): Promise<string | undefined> {
    const { client, recorder, shares } = this.#tools;
    const { name, deletionTimestamp = "", finalizers = [] } = cluster.metadata;
    if (!finalizers.includes(CLUSTER_FINALIZER)) return undefined;
    const namespace = clusterNamespace(name);
    const own = shares.byIndex("namespace", namespace);
    const isRemoving = cluster.spec.onRemove === "Delete" && cluster.spec.accepted;
    for (const share of own) await this.#remove(share, isRemoving, signal);
    const isLate = client.clock.now() - Date.parse(deletionTimestamp) > END_WITHIN_MS;
    if (own.length > 0 && isRemoving && !isLate)
      return `${own.length} Shares, with their objects in the member`;
    if (own.length > 0) {
      if (isRemoving)
        recorder.record(CLUSTERS, cluster, {
          type: "Warning",
          reason: "Orphaned",
          action: "Remove",
          note: `It did not answer within ${END_WITHIN_MS / 60_000} minutes; these stay in it: ${own
            .slice(0, 10)
            .map(({ spec: { root } }) => `${root.kind} ${root.namespace ?? ""}/${root.name}`)
            .join(", ")}${own.length > 10 ? ` and ${own.length - 10} more` : ""}.`,
        });
      await this.#letGo(own, signal);
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
    await this.#setFinalizers(
      cluster,
      finalizers.filter((one) => one !== CLUSTER_FINALIZER),
      signal,
    );
    return undefined;
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
  async #letGo(shares: readonly ShareObject[], signal: AbortSignal): Promise<void> {
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

  async #setFinalizers(
    { metadata }: ClusterObject,
    finalizers: string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, resourceVersion } = metadata;
    await this.#tools.client
      .patch(CLUSTERS, metadata, { metadata: { uid, resourceVersion, finalizers } }, { signal })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}

function conditionsIn({ status }: ShareObject): Parameters<typeof isTrue>[0] {
  return status?.conditions?.map(({ observedGeneration, ...rest }) => ({
    ...rest,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  }));
}

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
