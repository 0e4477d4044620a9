// Keeps a Share for each pinned object in the cluster that its label names, and brings the status back.
import { CLUSTER_PIN_LABEL } from "../../../api/hub";
import {
  isNotFound,
  refOf,
  type ApiClient,
  type Informer,
  type KubernetesObject,
  type ReconcileContext,
  type ReconcileResult,
  type Recorder,
} from "../../runtime";
import type { ShareObject } from "../../syncer/kinds";
import { reasonNotToSync, serves } from "../../workload";
import { DEFINITIONS } from "../apis/kinds";
import type { ClusterObject } from "../kinds";
import type { RootRef, Roots } from "./roots";
import { isPin, rootStatus, rootStatusPatch, shareOf } from "./share";
import type { ShareWriter } from "./share-writer";
import type { Sweeper } from "./sweeper";

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
  writer: ShareWriter;
  sweeper: Sweeper;
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

  async reconcile(id: string, { signal, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { roots, sweeper } = this.#tools;
    const ref = roots.find(id);
    if (ref === undefined)
      return (await sweeper.sweepKind(id, signal)) ? { requeueAfterMs: AGAIN_MS } : undefined;
    const root = roots.get(ref) ?? (await this.#read(ref, signal));
    await sweeper.sweep(id, root, () => this.#read(ref, signal), signal);
    if (root === undefined) return undefined;
    const shares = this.#sharesOf(root);
    if (shares.length > 0) this.#expected.delete(root.metadata.uid ?? "");
    const cluster = root.metadata.labels?.[CLUSTER_PIN_LABEL] ?? "";
    const isPinned = cluster !== "" && root.metadata.deletionTimestamp === undefined;
    if (!isPinned) {
      const isMeant = await this.#isMeant(ref, root, shares, signal);
      if (!isMeant) log.info("The root goes with its definition: its objects stay in the members.");
      return this.#end(ref, root, shares, isMeant, signal);
    }
    const problem = this.#objection(root, cluster);
    if (problem !== undefined) {
      // A cluster that comes is seen, and so is a change of the root: nothing has to be asked again.
      this.#warn(ref, root, problem);
      return undefined;
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
    const put = await this.#tools.writer.put(made.share, here, signal);
    if (put === "made") this.#expected.add(made.share.spec.root.uid);
    if (put === "later") return { requeueAfterMs: AGAIN_MS };
    await this.#leaveOthers(root, shares, here, made.share, signal);
    if (here !== undefined) await this.#bringStatus(ref, root, here, signal);
    return undefined;
  }

  #sharesOf(root: KubernetesObject): ShareObject[] {
    return this.#tools.shares.byIndex("root", root.metadata.uid ?? "").filter(isPin);
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

  /**
   * Whether the end of a root was meant, so that its objects in members go with it. With a definition all objects of its kind are
   * deleted; that is nobody's word about what runs in members.
   */
  async #isMeant(
    { resource, isDefined }: RootRef,
    { metadata }: KubernetesObject,
    shares: readonly ShareObject[],
    signal: AbortSignal,
  ): Promise<boolean> {
    if (metadata.deletionTimestamp === undefined || !isDefined || shares.length === 0) return true;
    try {
      // Not the cache: it may not have heard yet, and the definition is marked before the first of its objects.
      const name = `${resource.plural}.${resource.group}`;
      const definition = await this.#tools.client.get(DEFINITIONS, { name }, signal);
      return definition.metadata.deletionTimestamp === undefined;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  }

  async #end(
    ref: RootRef,
    root: KubernetesObject,
    shares: readonly ShareObject[],
    isMeant: boolean,
    signal: AbortSignal,
  ): Promise<ReconcileResult | undefined> {
    const { writer } = this.#tools;
    for (const share of shares)
      await (isMeant ? writer.remove(share, root, signal) : writer.letGo(share, signal));
    const { finalizers = [] } = root.metadata;
    if (!finalizers.includes(ROOT_FINALIZER)) return undefined;
    if (shares.length > 0) return undefined;
    // The cache may lag behind what was made just now.
    if (this.#expected.has(root.metadata.uid ?? "")) return { requeueAfterMs: 500 };
    const rest = finalizers.filter((one) => one !== ROOT_FINALIZER);
    await this.#setFinalizers(ref, root, rest, signal);
    return undefined;
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

  // What moved to another cluster leaves the first once the second has it.
  async #leaveOthers(
    root: KubernetesObject,
    shares: readonly ShareObject[],
    here: ShareObject | undefined,
    wanted: ShareObject,
    signal: AbortSignal,
  ): Promise<void> {
    const others = shares.filter((share) => share.metadata.namespace !== wanted.metadata.namespace);
    if (others.length === 0 || here?.status?.appliedHash !== wanted.spec.hash) return;
    for (const share of others) await this.#tools.writer.remove(share, root, signal);
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
