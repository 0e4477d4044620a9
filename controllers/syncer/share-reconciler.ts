// Brings one Share into the member, and what came of it back to the hub.
import { createHash } from "node:crypto";
import {
  ApplyConflictError,
  compareVersions,
  isNotFound,
  isObject,
  keyOf,
  type ApiClient,
  type Discovery,
  type FieldSet,
  type Informer,
  type KubernetesObject,
  type ReconcileContext,
  type ReconcileResult,
  type Resource,
} from "../runtime";
import type { DeletionGuard } from "../app/deletion-guard";
import { MASS_DELETION } from "../app/deletion-guard";
import { reasonNotToSync, type Manifest } from "../workload";
import { DriftRecord } from "./drift";
import type { HubIdentity } from "./hub-identity";
import type { HubSide } from "./hub-side";
import { SHARES, type ShareObject } from "./kinds";
import type { MemberObjects } from "./member-objects";
import { isRefusal, type MemberWriter } from "./member-writer";
import { FIELD_MANAGER, REMOVE, SHARE_FINALIZER } from "./names";
import { marked, objection } from "./ours";
import { droppedFields, fieldsOf } from "./owned-fields";
import { needOf, wereOurs, type Applied } from "./plan";
import { shareStatus, statusPatch, type Outcome } from "./share-status";

/** Statuses of one Share are written at most this often. */
const STATUS_INTERVAL_MS = 1000;
/** What the member refused for what it is, or what belongs to others, is looked at again after this time. */
const REFUSED_MS = 300_000;
const MISSING_KIND_MS = 10_000;
const ENDING_MS = 5000;

/** What a reconciler works with. */
export interface Tools {
  cluster: string;
  hub: ApiClient;
  shares: Informer<ShareObject>;
  guard: DeletionGuard<ShareObject>;
  hubSide: HubSide;
  identity: HubIdentity;
  discovery: Discovery;
  objects: MemberObjects;
  writer: MemberWriter;
  /** Hears of each write into the member. */
  onWrite: (result: string) => void;
}

interface Result extends ReconcileResult {
  outcome: Outcome;
}

/** Reconciles the Shares of one cluster. */
export class ShareReconciler {
  readonly #tools: Tools;
  readonly #drift: DriftRecord;
  readonly #applied = new Map<string, Applied>();
  /** The fields that were ours when the object was last seen whole. */
  readonly #owned = new Map<string, FieldSet>();
  readonly #statusAt = new Map<string, number>();
  /** Shares that are gone and whose object was to go: another syncer may have been faster, and we may have made it again. */
  readonly #gone = new Map<string, ShareObject>();

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#drift = new DriftRecord(tools.hub.clock);
    tools.shares.onChange(({ key, before, after }) => {
      if (after !== undefined) this.#gone.delete(key);
      else if (before?.metadata.annotations?.[REMOVE] === "true") this.#gone.set(key, before);
    });
  }

  async reconcile(key: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const share = this.#tools.shares.get(key);
    // A Share that vanished without its end being seen says nothing about the object: the hub may have lost it.
    if (share === undefined) {
      await this.#clearAfter(key, context.signal);
      this.#forget(key);
      return undefined;
    }
    // The hub is asked who it is before anything is done in its name.
    const { hubSide, identity } = this.#tools;
    const hub = await hubSide.ask(() => identity.confirm(context.signal));
    if (share.metadata.deletionTimestamp !== undefined) return this.#end(share, hub, context);
    const held = await this.#hold(share, context.signal);
    if (held === undefined) return undefined;
    const { outcome, ...result } = await this.#bring(held, hub, context);
    return this.#report(held, outcome, result, context.signal);
  }

  async #bring(share: ShareObject, hub: string, { signal, log }: ReconcileContext): Promise<Result> {
    const manifest = manifestIn(share);
    if (typeof manifest === "string") return refused("InvalidManifest", manifest);
    const reason = reasonNotToSync(manifest);
    if (reason !== undefined)
      return refused("NeverSynced", `${nameOf(manifest)} stays on the hub: ${reason}.`);
    const found = await this.#tools.discovery.find(manifest, signal);
    if ("unavailable" in found)
      return refused(
        "ApiUnavailable",
        `The member's API is unavailable: ${found.unavailable}`,
        MISSING_KIND_MS,
      );
    if ("missing" in found)
      return refused(
        "KindMissing",
        `The member serves no ${manifest.apiVersion} ${manifest.kind}: install its definition there, or place the object elsewhere.`,
        MISSING_KIND_MS,
      );
    const { resource } = found;
    const name = share.metadata.name;
    const place = { hub, cluster: this.#tools.cluster, share: name };
    const informer = await this.#tools.objects.hold(name, resource, signal);
    const live = await this.#find(informer, resource, manifest, signal);
    const foreign = live === undefined ? undefined : objection(live, place);
    if (foreign !== undefined)
      return refused("Conflict", `${nameOf(manifest)} in the member is not the hub's: ${foreign}.`);
    const need =
      live === undefined
        ? ({ what: "apply" } as const)
        : needOf(share, manifest, live, this.#applied.get(name));
    if (need.what === "nothing" && live !== undefined) {
      this.#remember(name, share, live);
      return this.#done(name, live);
    }
    if (need.what === "heal") {
      const waitMs = this.#drift.waitMs(name);
      if (waitMs > 0) return { ...this.#done(name, live), requeueAfterMs: waitMs };
    }
    const applied = marked(manifest, place, share.spec.hash);
    const result = await this.#apply(share, resource, applied, live, need, signal);
    if ("outcome" in result) return result;
    const { object, managers } = result;
    if (live === undefined && isSomebodyElses(object)) {
      // It came into being between our look and our write.
      await this.#tools.writer.giveUp(resource, object, signal);
      return refused("Conflict", `${nameOf(manifest)} was just made in the member by somebody else.`);
    }
    if (need.what === "heal") {
      this.#drift.healed(name, managers, need.lost);
      log.info("Changed back what others changed in the member.", {
        managers,
        fields: need.lost.slice(0, 5),
      });
    }
    this.#remember(name, share, object);
    const dropped = droppedFields(applied, object, fieldsOf(object, FIELD_MANAGER));
    const done = this.#done(name, object);
    return { ...done, outcome: { ...done.outcome, dropped } };
  }

  /** Applies without force; takes back with force only what was ours. */
  async #apply(
    share: ShareObject,
    resource: Resource,
    manifest: Manifest,
    live: KubernetesObject | undefined,
    need: { what: string },
    signal: AbortSignal,
  ): Promise<{ object: KubernetesObject; managers: readonly string[] } | Result> {
    const { writer, onWrite } = this.#tools;
    const name = share.metadata.name;
    try {
      const object = await writer.apply(resource, manifest, {}, signal);
      onWrite("applied");
      return { object, managers: [] };
    } catch (error) {
      if (isRefusal(error)) {
        onWrite("refused");
        return refused(
          REASONS[error.code] ?? "Refused",
          `The member refused ${nameOf(manifest)}: ${error.status.message ?? error.message}`,
        );
      }
      // The kind may have gone from the member since it was last asked for.
      if (isNotFound(error)) this.#tools.discovery.forget(manifest.apiVersion);
      if (!(error instanceof ApplyConflictError)) throw error;
      onWrite("conflict");
      const managers = [...new Set(error.conflicts.map(({ manager }) => manager))];
      const fields = error.conflicts.map(({ field }) => field);
      if (!wereOurs(error.conflicts, share, live, this.#owned.get(name)))
        return refused(
          "Conflict",
          `In ${nameOf(manifest)}, ${managers.map((manager) => JSON.stringify(manager)).join(", ")} manages ${fields.slice(0, 5).join(", ")}: leave these fields out on the hub, or let the other give them up.`,
          REFUSED_MS,
          live,
        );
      if (need.what === "apply") {
        // A new manifest on top of a change by others counts as a change back.
        const waitMs = this.#drift.waitMs(name);
        if (waitMs > 0) return { ...this.#done(name, live), requeueAfterMs: waitMs };
        this.#drift.healed(name, managers, fields);
      }
      const object = await writer.apply(resource, manifest, { force: true }, signal);
      onWrite("healed");
      return { object, managers };
    }
  }

  // The cache has only what carries our label; anything else is asked for.
  async #find(
    informer: Informer<KubernetesObject>,
    resource: Resource,
    manifest: Manifest,
    signal: AbortSignal,
  ): Promise<KubernetesObject | undefined> {
    const cached = informer.get(keyOf(manifest));
    return cached ?? this.#tools.writer.find(resource, manifest.metadata, signal);
  }

  async #end(
    share: ShareObject,
    hub: string,
    { signal, log }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const { guard, hubSide, identity, objects } = this.#tools;
    const { name, finalizers = [], annotations = {} } = share.metadata;
    if (!finalizers.includes(SHARE_FINALIZER)) return undefined;
    if (annotations[REMOVE] !== "true") {
      log.info("The Share goes, but nobody said that its object should: it stays in the member.");
    } else if (guard.holdsBack(share)) {
      const applied = { status: "True", reason: MASS_DELETION, message: guard.message } as const;
      return this.#report(share, { applied, isCurrent: false }, {}, signal);
    } else {
      // Not remembered: an end cannot be taken back.
      await hubSide.ask(() => identity.confirm(signal, 0));
      const again = await this.#removeObject(share, hub, signal);
      if (again !== undefined) return { requeueAfterMs: again };
    }
    await this.#setFinalizers(
      share,
      finalizers.filter((one) => one !== SHARE_FINALIZER),
      signal,
    );
    objects.release(name);
    return undefined;
  }

  // The word was seen, and the Share is surely gone: what is left of it is ours to take away.
  async #clearAfter(key: string, signal: AbortSignal): Promise<void> {
    const gone = this.#gone.get(key);
    if (gone === undefined) return;
    const { hub, hubSide, identity } = this.#tools;
    const uid = await hubSide.ask(() => identity.confirm(signal, 0));
    try {
      await hubSide.ask(() => hub.get(SHARES, gone.metadata, signal));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#removeObject(gone, uid, signal);
    }
    this.#gone.delete(key);
  }

  /** Deletes the object if it is still ours; gives how long to wait for its end. */
  async #removeObject(share: ShareObject, hub: string, signal: AbortSignal): Promise<number | undefined> {
    const { discovery, writer, objects, onWrite, cluster } = this.#tools;
    const manifest = manifestIn(share);
    if (typeof manifest === "string") return undefined;
    const found = await discovery.find(manifest, signal);
    if ("unavailable" in found) return MISSING_KIND_MS;
    if ("missing" in found) return undefined;
    const live = await writer.find(found.resource, manifest.metadata, signal);
    if (live === undefined || objection(live, { hub, cluster, share: share.metadata.name }) !== undefined)
      return undefined;
    // Its end is then seen by the watch.
    await objects.hold(share.metadata.name, found.resource, signal);
    if (live.metadata.deletionTimestamp === undefined) {
      await writer.delete(found.resource, live, signal);
      onWrite("deleted");
    }
    const rest = await writer.find(found.resource, manifest.metadata, signal);
    return rest?.metadata.uid === live.metadata.uid ? ENDING_MS : undefined;
  }

  #done(name: string, live: KubernetesObject | undefined): Result {
    const fight = this.#drift.current(name);
    const quiet = this.#drift.quietInMs(name);
    const applied = { status: "True", reason: "Applied", message: "The member has it." } as const;
    return {
      outcome: { applied, live, isCurrent: true, fight },
      ...(quiet === undefined ? {} : { requeueAfterMs: quiet }),
    };
  }

  #remember(name: string, { spec }: ShareObject, object: KubernetesObject): void {
    const fields = fieldsOf(object, FIELD_MANAGER);
    this.#applied.set(name, { hash: spec.hash, fields });
    if (fields !== undefined) this.#owned.set(name, fields);
  }

  async #hold(share: ShareObject, signal: AbortSignal): Promise<ShareObject | undefined> {
    const { finalizers = [] } = share.metadata;
    if (finalizers.includes(SHARE_FINALIZER)) return share;
    return this.#setFinalizers(share, [...finalizers, SHARE_FINALIZER], signal);
  }

  async #setFinalizers(
    share: ShareObject,
    finalizers: string[],
    signal: AbortSignal,
  ): Promise<ShareObject | undefined> {
    const { hub, hubSide } = this.#tools;
    const { uid, resourceVersion } = share.metadata;
    const body = { metadata: { uid, resourceVersion, finalizers } };
    try {
      return await hubSide.ask(() => hub.patch(SHARES, share.metadata, body, { signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }

  /** Writes the status if it differs, at most once a second. */
  async #report(
    share: ShareObject,
    outcome: Outcome,
    result: ReconcileResult,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { hub, hubSide } = this.#tools;
    const { clock } = hub;
    const key = keyOf(share);
    const newest = this.#newest(key, share);
    const patch = statusPatch(newest.status, shareStatus(newest, outcome, clock.now()));
    if (patch === undefined) return result;
    const since = clock.monotonic() - (this.#statusAt.get(key) ?? -Infinity);
    if (since < STATUS_INTERVAL_MS) {
      const wait = STATUS_INTERVAL_MS - since;
      return { ...result, requeueAfterMs: Math.min(wait, result.requeueAfterMs ?? Infinity) };
    }
    this.#statusAt.set(key, clock.monotonic());
    const body = { metadata: { uid: share.metadata.uid }, status: patch };
    try {
      await hubSide.ask(() => hub.patch(SHARES, share.metadata, body, { subresource: "status", signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return result;
  }

  // Our own write of the finalizer is newer than what the cache has.
  #newest(key: string, share: ShareObject): ShareObject {
    const cached = this.#tools.shares.get(key);
    const [a, b] = [cached?.metadata.resourceVersion, share.metadata.resourceVersion];
    return cached !== undefined && a !== undefined && b !== undefined && compareVersions(a, b) > 0
      ? cached
      : share;
  }

  #forget(key: string): void {
    const name = key.slice(key.indexOf("/") + 1);
    this.#tools.objects.release(name);
    this.#drift.forget(name);
    this.#applied.delete(name);
    this.#owned.delete(name);
    this.#statusAt.delete(key);
  }
}

const REASONS: Readonly<Record<number, string>> = {
  400: "Invalid",
  403: "Forbidden",
  413: "TooLarge",
  422: "Invalid",
  500: "Invalid",
};

function refused(reason: string, message: string, againMs = REFUSED_MS, live?: KubernetesObject): Result {
  return {
    outcome: { applied: { status: "False", reason, message }, live, isCurrent: false },
    requeueAfterMs: againMs,
  };
}

/** The manifest of a Share, or what is wrong with it. */
export function manifestIn({ spec }: ShareObject): Manifest | string {
  const hash = createHash("sha256").update(spec.manifest).digest("hex");
  if (hash !== spec.hash)
    return `The manifest's SHA-256 is ${hash}, and spec.hash says ${spec.hash}: write both anew.`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(spec.manifest);
  } catch (error) {
    return `spec.manifest is not JSON: ${error instanceof Error ? error.message : String(error)}.`;
  }
  if (!isObject(parsed) || !isManifest(parsed))
    return "spec.manifest has no apiVersion, kind and metadata.name.";
  return parsed;
}

function isManifest(object: KubernetesObject): object is Manifest {
  return typeof object.apiVersion === "string" && typeof object.kind === "string";
}

/** Whether an object that we should have made has fields of others: then it was there before. */
function isSomebodyElses({ metadata }: KubernetesObject): boolean {
  return (metadata.managedFields ?? []).some(({ manager }) => manager !== FIELD_MANAGER);
}

function nameOf(object: KubernetesObject): string {
  return `${object.kind ?? ""} ${keyOf(object)}`;
}
