// Keeps the namespace and the rights of a cluster, and evaluates it by its heartbeat.
import { clusterNamespace } from "../../../api/hub";
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
import { NAMESPACES, type ShareObject } from "../../syncer/kinds";
import { HEARTBEAT, REPORT_ANNOTATION } from "../../syncer/names";
import type { ClusterObject, ImportObject } from "../kinds";
import { CLUSTER_FINALIZER, ClusterEnd, setFinalizers } from "./end";
import {
  conditionsOf,
  firstSeen,
  heartbeatSeconds,
  isHubCutOff,
  LOST_REASONS,
  lostSince,
  MISSES,
  reportOf,
  type Seen,
} from "./plan";
import { rightsOf } from "./rights";

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
  /** How long the end of a cluster waits for its syncer. @default ten minutes */
  endWithinMs?: number | undefined;
}

/** Reconciles Clusters. */
export class ClusterReconciler {
  readonly #tools: Tools;
  readonly #applier: Applier;
  readonly #end: ClusterEnd;
  readonly #seen = new Map<string, Seen>();
  readonly #statusAt = new Map<string, number>();
  readonly #keptAt = new Map<string, { generation: number | undefined; at: number }>();

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#applier = new Applier(tools.client, "fleetwright-clusters");
    this.#end = new ClusterEnd(tools);
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
      const waiting = await this.#end.clear(cluster, signal);
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
    const lease = this.#note(cluster, now);
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
      hasBeaten: this.#seen.has(name),
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
    // What a member was does not change by that it does not answer.
    const before = report?.unanswered === undefined ? undefined : cluster.status;
    const { endpoint, certificateExpires, synced } = report ?? {};
    const { version = before?.version, uid = before?.uid, nodes = before?.nodes } = report ?? {};
    const { capacity = before?.capacity, allocatable = before?.allocatable } = report ?? {};
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

  #note({ metadata: { name }, status }: ClusterObject, now: number): Lease | undefined {
    const lease = this.#tools.leases.get(`${clusterNamespace(name)}/${HEARTBEAT}`);
    const renewTime = lease?.spec?.renewTime;
    const known = this.#seen.get(name);
    if (renewTime === undefined || known?.renewTime === renewTime) return lease;
    const reason = status?.conditions?.find(({ type }) => type === "Reachable")?.reason ?? "";
    const wasLost = known === undefined && LOST_REASONS.includes(reason);
    this.#seen.set(name, firstSeen(renewTime, wasLost, this.#seconds(), now));
    return lease;
  }

  #lost(seconds: number, now: number): (number | undefined)[] {
    return this.#tools.clusters
      .list()
      .filter(({ spec }) => spec.accepted)
      .map((cluster) => {
        this.#note(cluster, now);
        return lostSince(this.#seen.get(cluster.metadata.name), seconds, now);
      });
  }

  async #keepNamespace({ metadata }: ClusterObject, signal: AbortSignal): Promise<boolean> {
    const { client, shares } = this.#tools;
    const name = clusterNamespace(metadata.name);
    try {
      const found = await client.get(NAMESPACES, { name }, signal);
      if (found.metadata.deletionTimestamp === undefined) return true;
      // Its Shares go without a word of their roots: their objects stay in the member, and the Shares come again.
      await this.#end.letGo(shares.byIndex("namespace", name), signal);
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
      await setFinalizers(this.#tools.client, cluster, [...finalizers, CLUSTER_FINALIZER], signal);
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
