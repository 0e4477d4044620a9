// Keeps a Share for each pinned object in the cluster that its label names, and brings the status back.
import { CLUSTER_PIN_LABEL } from "../../../api/hub";
import { ALLOW_DELETION } from "../../app/deletion-guard";
import { isNamespaceGone } from "../../app/ownership";
import {
  isAlreadyExists,
  isNotFound,
  refOf,
  type ApiClient,
  type Informer,
  type KubernetesObject,
  type ReconcileContext,
  type ReconcileResult,
  type Recorder,
} from "../../runtime";
import { SHARES, type ShareObject } from "../../syncer/kinds";
import { REMOVE } from "../../syncer/names";
import { reasonNotToSync, serves } from "../../workload";
import type { ClusterObject } from "../kinds";
import type { RootRef, Roots } from "./roots";
import { isSameShare, PIN_LABEL, rootStatus, rootStatusPatch, shareOf } from "./share";

/** On a root: it has Shares, and its end waits for theirs. */
export const ROOT_FINALIZER = "fleetwright.dev/hub";
const AGAIN_MS = 5000;

/** What a reconciler works with. */
export interface Tools {
  client: ApiClient;
  roots: Roots;
  shares: Informer<ShareObject>;
  clusters: Informer<ClusterObject>;
  autoscalers: Informer<KubernetesObject> | undefined;
  recorder: Recorder;
}

/** Reconciles pinned objects. */
export class PinReconciler {
  readonly #tools: Tools;
  /** Shares that this process made and that the cache may not have yet, by the UID of their root. */
  readonly #expected = new Set<string>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async reconcile(id: string, { signal }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const ref = this.#tools.roots.find(id);
    if (ref === undefined) return undefined;
    const root = this.#tools.roots.get(ref) ?? (await this.#read(ref, signal));
    if (root === undefined) return undefined;
    const shares = this.#sharesOf(root);
    if (shares.length > 0) this.#expected.delete(root.metadata.uid ?? "");
    const cluster = root.metadata.labels?.[CLUSTER_PIN_LABEL] ?? "";
    const isPinned = cluster !== "" && root.metadata.deletionTimestamp === undefined;
    if (!isPinned) return this.#end(ref, root, shares, signal);
    const problem = this.#objection(root, cluster);
    if (problem !== undefined) {
      this.#warn(ref, root, problem);
      return { requeueAfterMs: AGAIN_MS };
    }
    const isAutoscaled =
      this.#tools.autoscalers?.list().some((one) => serves(one, withKind(ref, root))) ?? false;
    const made = shareOf(ref.resource, root, cluster, { isAutoscaled });
    if ("problem" in made) {
      this.#warn(ref, root, made.problem);
      return undefined;
    }
    await this.#hold(ref, root, signal);
    const here = shares.find(({ metadata }) => metadata.namespace === made.share.metadata.namespace);
    if (!(await this.#put(made.share, here, signal))) return { requeueAfterMs: AGAIN_MS };
    await this.#leaveOthers(shares, here, made.share, signal);
    if (here !== undefined) await this.#bringStatus(ref, root, here, signal);
    return undefined;
  }

  #sharesOf(root: KubernetesObject): ShareObject[] {
    return this.#tools.shares
      .byIndex("root", root.metadata.uid ?? "")
      .filter(({ metadata }) => metadata.labels?.[PIN_LABEL] === "true");
  }

  #objection(root: KubernetesObject, cluster: string): string | undefined {
    const reason = reasonNotToSync(root);
    if (reason !== undefined) return `it stays on the hub: ${reason}`;
    const found = this.#tools.clusters.get(cluster);
    if (found?.metadata.deletionTimestamp !== undefined)
      return `the Cluster ${JSON.stringify(cluster)} is being taken out of the hub: name another by the label ${CLUSTER_PIN_LABEL}`;
    if (found === undefined)
      return `there is no Cluster ${JSON.stringify(cluster)}, which its label ${CLUSTER_PIN_LABEL} names: see kubectl get clusters`;
    return undefined;
  }

  #warn({ resource }: RootRef, root: KubernetesObject, problem: string): void {
    this.#tools.recorder.record(resource, root, {
      type: "Warning",
      reason: "NotPlaced",
      action: "Place",
      note: `It is placed nowhere: ${problem}.`,
    });
  }

  // A root without the label is not in the cache; what it left behind is still to be cleared away.
  async #read({ resource, key }: RootRef, signal: AbortSignal): Promise<KubernetesObject | undefined> {
    try {
      return await this.#tools.client.get(resource, refOf(key), signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }

  async #end(
    ref: RootRef,
    root: KubernetesObject,
    shares: readonly ShareObject[],
    signal: AbortSignal,
  ): Promise<ReconcileResult | undefined> {
    for (const share of shares) await this.#remove(share, root, signal);
    const { finalizers = [] } = root.metadata;
    if (!finalizers.includes(ROOT_FINALIZER)) return undefined;
    if (shares.length > 0) return undefined;
    // The cache may lag behind what was made just now.
    if (this.#expected.has(root.metadata.uid ?? "")) return { requeueAfterMs: 500 };
    const rest = finalizers.filter((one) => one !== ROOT_FINALIZER);
    await this.#setFinalizers(ref, root, rest, signal);
    return undefined;
  }

  async #remove(share: ShareObject, root: KubernetesObject, signal: AbortSignal): Promise<void> {
    const { client } = this.#tools;
    const { uid, annotations = {}, deletionTimestamp } = share.metadata;
    const wanted: Record<string, string> = { [REMOVE]: "true" };
    if (root.metadata.annotations?.[ALLOW_DELETION] === "true") wanted[ALLOW_DELETION] = "true";
    try {
      if (Object.entries(wanted).some(([key, value]) => annotations[key] !== value))
        await client.patch(SHARES, share.metadata, { metadata: { uid, annotations: wanted } }, { signal });
      if (deletionTimestamp === undefined) await client.delete(SHARES, share.metadata, { uid }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #hold(ref: RootRef, root: KubernetesObject, signal: AbortSignal): Promise<void> {
    const { finalizers = [] } = root.metadata;
    if (!finalizers.includes(ROOT_FINALIZER))
      await this.#setFinalizers(ref, root, [...finalizers, ROOT_FINALIZER], signal);
  }

  async #setFinalizers(
    { resource }: RootRef,
    { metadata }: KubernetesObject,
    finalizers: string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, resourceVersion } = metadata;
    try {
      await this.#tools.client.patch(
        resource,
        metadata,
        { metadata: { uid, resourceVersion, finalizers } },
        { signal },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Makes or changes the Share. Says whether the cluster's namespace is there. */
  async #put(share: ShareObject, live: ShareObject | undefined, signal: AbortSignal): Promise<boolean> {
    const { client } = this.#tools;
    try {
      if (live === undefined) {
        await client.create(SHARES, share, signal);
        this.#expected.add(share.spec.root.uid);
      }
      if (live?.metadata.deletionTimestamp !== undefined) return false;
      if (live !== undefined && !isSameShare(live, share)) {
        const { uid, resourceVersion } = live.metadata;
        await client.patch(
          SHARES,
          live.metadata,
          { metadata: { uid, resourceVersion }, spec: share.spec },
          { signal },
        );
      }
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) {
        // One of a root that went and came again: it is of another UID, and has to go first.
        const old = await client.get(SHARES, share.metadata, signal);
        if (old.spec.root.uid !== share.spec.root.uid)
          await client.delete(SHARES, old.metadata, { uid: old.metadata.uid }, signal);
        return false;
      }
      if (isNamespaceGone(error)) return false;
      throw error;
    }
  }

  // What moved to another cluster leaves the first once the second has it.
  async #leaveOthers(
    shares: readonly ShareObject[],
    here: ShareObject | undefined,
    wanted: ShareObject,
    signal: AbortSignal,
  ): Promise<void> {
    const others = shares.filter((share) => share.metadata.namespace !== wanted.metadata.namespace);
    if (others.length === 0 || here?.status?.appliedHash !== wanted.spec.hash) return;
    for (const share of others) await this.#remove(share, share, signal);
  }

  async #bringStatus(
    { resource }: RootRef,
    root: KubernetesObject,
    share: ShareObject,
    signal: AbortSignal,
  ): Promise<void> {
    if (!resource.hasStatus) return;
    const status = rootStatus(root, share);
    const patch = status === undefined ? undefined : rootStatusPatch(Reflect.get(root, "status"), status);
    if (patch === undefined) return;
    const { uid } = root.metadata;
    try {
      await this.#tools.client.patch(
        resource,
        root.metadata,
        { metadata: { uid }, status: patch },
        { subresource: "status", signal },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function withKind({ resource }: RootRef, root: KubernetesObject): KubernetesObject {
  const { group, version, kind } = resource;
  return { ...root, apiVersion: group === "" ? version : `${group}/${version}`, kind };
}
