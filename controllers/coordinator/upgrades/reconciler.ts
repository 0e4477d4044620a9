// Reconciles ClusterUpgrades. Decisions are in plan.ts and node-plan.ts, what is done to nodes in node-reconciler.ts.
import { GROUP } from "../../../api";
import { orderOn } from "../../../api/upgrade-annotations";
import { Finalizer, type ReconcileContext, type ReconcileResult, type StepOutcome } from "../../runtime";
import type { ControllerContext } from "../controller-context";
import { UPGRADES, type UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { conditionFalse, StatusWriter } from "../../app/status";
import type { ControlPlaneReader } from "./control-plane-reader";
import type { Latest } from "./latest";
import type { NodeActions } from "./node-actions";
import type { UpgradeNodeReconciler } from "./node-reconciler";
import { isCordonedBy, isInProgress, type ClusterState, type DrainProgress } from "./node-plan";
import { dependsOnControlPlane, olderFirst, planUpgrade, type UpgradePlan } from "./plan";
import { preflight } from "./preflight";
import { preflightFacts } from "./preflight-facts";
import { changeOf, hasBegun, isOver, readyCondition, statusFields } from "./status";
import { Stopwatch } from "./stopwatch";

/** Steps of several nodes are written together, if they come so close to each other. */
const STEPS_INTERVAL_MS = 100;
/** What only people read is written at most so often, unless a step of a node is written anyway. */
const WORDS_INTERVAL_MS = 5000;
const DRAINS_INTERVAL_MS = 10_000;
const HELD_POLL_MS = 3000;
/** Nothing waits longer than this for a look at the time. */
const WAIT_POLL_MS = 30_000;
const PREFLIGHT_POLL_MS = 15_000;

/** What the reconciler works with. */
export interface UpgradeParts {
  upgrades: Latest<UpgradeObject>;
  nodes: Latest<Node>;
  actions: NodeActions;
  drains: Pick<UpgradeNodeReconciler, "progressOf">;
  controlPlane: ControlPlaneReader;
  /** Has done to a node what status says. */
  workOn: (node: string) => void;
  /** The labels of a namespace. */
  labelsOf: (namespace: string) => Readonly<Record<string, string>>;
}

/** Upgrades the nodes of a cluster, one ClusterUpgrade at a time: observe, plan, write the status, have it done. */
export class ClusterUpgradeReconciler {
  readonly #context: ControllerContext;
  readonly #parts: UpgradeParts;
  readonly #status;
  readonly #finalizer: Finalizer<UpgradeObject>;
  readonly #stopwatch: Stopwatch;
  #draining: ReadonlySet<string> = new Set();
  #drainsAskedAt = -Infinity;
  #writtenAt = -Infinity;

  constructor(context: ControllerContext, controller: string, parts: UpgradeParts) {
    this.#context = context;
    this.#parts = parts;
    this.#status = new StatusWriter(context.client, UPGRADES, controller);
    this.#stopwatch = new Stopwatch(() => context.client.clock.monotonic());
    this.#finalizer = new Finalizer(context.client, UPGRADES, `${GROUP}/${controller}`, [
      { name: "nodes", run: (upgrade, signal) => this.#releaseNodes(upgrade, signal) },
    ]);
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { upgrades } = this.#parts;
    const upgrade = upgrades.get(name);
    if (upgrade === undefined) {
      this.#status.forget(name);
      return undefined;
    }
    const { signal } = context;
    if (upgrade.metadata.deletionTimestamp !== undefined && (isOver(upgrade) || !hasBegun(upgrade))) {
      const end = await this.#finalizer.finalize(upgrade, signal);
      return end.finished ? undefined : end.result;
    }
    if (isOver(upgrade)) return undefined;
    const unfinished = upgrades.list().filter((other) => !isOver(other));
    const first = unfinished.sort(olderFirst)[0]?.metadata.name ?? name;
    if (first !== name)
      return this.#wait(upgrade, "Pending", "Waiting", `Waiting for older ClusterUpgrade ${first}.`, signal);
    return hasBegun(upgrade) ? this.#advance(upgrade, context) : this.#begin(upgrade, context);
  }

  /** Runs preflight, and begins if nothing speaks against it. */
  async #begin(upgrade: UpgradeObject, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { signal, clock } = context;
    const { client, namespace } = this.#context;
    if (upgrade.spec.aborted)
      return this.#wait(upgrade, "Aborted", "Aborted", "Aborted before it began.", signal);
    if (upgrade.spec.paused)
      return this.#wait(upgrade, "Paused", "Paused", "Paused: set spec.paused to false to begin.", signal);
    const nodes = this.#parts.nodes.list();
    const { labelsOf } = this.#parts;
    const now = clock.now();
    const facts = await preflightFacts(upgrade, nodes, { client, namespace, labelsOf, now, signal });
    const problems =
      facts.selected.length === 0
        ? ["spec.nodeSelector matches no node; change it"]
        : preflight(upgrade, facts);
    if (problems.length > 0) {
      const message = `Preflight failed: ${problems.join("; ")}.`;
      await this.#wait(upgrade, "Preflight", "PreflightFailed", message, signal);
      return { requeueAfterMs: PREFLIGHT_POLL_MS };
    }
    const held = await this.#finalizer.ensure(upgrade, signal);
    this.#parts.upgrades.wrote(held);
    return this.#advance(held, context);
  }

  /** Takes an upgrade that has begun one step further. */
  async #advance(upgrade: UpgradeObject, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const plan = planUpgrade(upgrade, await this.#observe(upgrade, context));
    const recorded = await this.#record(upgrade, plan, context);
    if (recorded === undefined) return undefined;
    // Not before status has it: whoever comes after a crash finds what to finish or to undo.
    for (const node of new Set(plan.actions.map((action) => action.node))) this.#parts.workOn(node);
    this.#startDrains(plan, context.clock.monotonic());
    if (!isOver(recorded)) return this.#nextLook(plan, context.clock.monotonic());
    context.log.info("The upgrade is over.", { phase: plan.phase, upgrade: upgrade.metadata.name });
    return undefined;
  }

  async #observe(upgrade: UpgradeObject, { signal, clock }: ReconcileContext): Promise<ClusterState> {
    const nodes = new Map(this.#parts.nodes.list().map((node) => [node.metadata.name, node]));
    const drains = new Map<string, DrainProgress>();
    for (const { name } of upgrade.status?.nodes ?? []) {
      const progress = this.#parts.drains.progressOf(name);
      if (progress !== undefined) drains.set(name, progress);
    }
    const { uid = "" } = upgrade.metadata;
    return {
      nodes,
      drains,
      controlPlane: dependsOnControlPlane(upgrade, nodes)
        ? await this.#parts.controlPlane.look(signal)
        : undefined,
      elapsed: (entry) => this.#stopwatch.elapsed(uid, entry),
      now: clock.now(),
    };
  }

  /**
   * Writes what is planned, if that is worth a write now. Gives the upgrade as it is then, or undefined if it is gone.
   */
  async #record(
    upgrade: UpgradeObject,
    plan: UpgradePlan,
    { signal, clock }: ReconcileContext,
  ): Promise<UpgradeObject | undefined> {
    this.#stopwatch.keepOnly(upgrade.metadata.uid ?? "", plan.nodes);
    const fields = statusFields(upgrade, plan, clock.now());
    const ready = readyCondition(plan);
    const change = changeOf(upgrade, fields, ready);
    const interval = plan.nodes.length > 1 ? STEPS_INTERVAL_MS : 0;
    const since = clock.monotonic() - this.#writtenAt;
    if (change === "none" || since < (change === "words" ? WORDS_INTERVAL_MS : interval)) return upgrade;
    const written = await this.#status.write(upgrade, { Ready: ready }, fields, signal, { exact: true });
    this.#writtenAt = clock.monotonic();
    if (written !== undefined) this.#parts.upgrades.wrote(written);
    return written;
  }

  /**
   * Has nodes emptied whose drain is not known to be under way. From then on a drain comes back by itself; now and then it is
   * asked for all the same, because none may ever be lost.
   */
  #startDrains({ nodes }: UpgradePlan, now: number): void {
    const draining = nodes.filter(({ phase }) => phase === "Draining").map(({ name }) => name);
    const isTime = now - this.#drainsAskedAt > DRAINS_INTERVAL_MS;
    for (const name of draining) if (isTime || !this.#draining.has(name)) this.#parts.workOn(name);
    this.#draining = new Set(draining);
    if (isTime) this.#drainsAskedAt = now;
  }

  #nextLook({ reason, nodes }: UpgradePlan, now: number): ReconcileResult {
    const left = this.#writtenAt + STEPS_INTERVAL_MS - now;
    // Right after a write: what came meanwhile may wait for the next.
    if (left > 0) return { requeueAfterMs: left };
    if (reason === "Held" || nodes.some(({ phase }) => phase === "Verifying"))
      return { requeueAfterMs: HELD_POLL_MS };
    return { requeueAfterMs: nodes.some(isInProgress) ? WORDS_INTERVAL_MS : WAIT_POLL_MS };
  }

  /** Before an upgrade is deleted: uncordons its nodes and withdraws its orders. */
  async #releaseNodes({ metadata }: UpgradeObject, signal: AbortSignal): Promise<StepOutcome> {
    const { nodes, actions } = this.#parts;
    const held = nodes
      .list()
      .filter((node) => isCordonedBy(node, metadata.uid) || orderOn(node)?.uid === metadata.uid);
    for (const node of held) {
      await actions.uncordon(node, metadata.uid, signal);
      await actions.withdrawOrder(node, signal);
    }
    return held.length === 0
      ? "done"
      : { waitingFor: `${held.length} nodes to be released`, againAfterMs: 500 };
  }

  async #wait(
    upgrade: UpgradeObject,
    phase: UpgradePlan["phase"],
    reason: string,
    message: string,
    signal: AbortSignal,
  ): Promise<undefined> {
    await this.#status.write(upgrade, { Ready: conditionFalse(reason, message) }, { phase }, signal);
    return undefined;
  }
}
