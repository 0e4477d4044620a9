// Reconciles ClusterUpgrades. Decisions are in plan.ts and node-plan.ts, changes of nodes in node-actions.ts.
import { GROUP } from "../../../api";
import { orderOn } from "../../../api/upgrade-annotations";
import { allEnded } from "../../../lib/all-ended";
import { Finalizer, type ReconcileContext, type ReconcileResult, type StepOutcome } from "../../runtime";
import type { ControllerContext } from "../controller-context";
import { UPGRADES, type UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { conditionFalse, StatusWriter } from "../status";
import type { ControlPlaneReader } from "./control-plane-reader";
import type { DrainReconciler } from "./drain-reconciler";
import type { Latest } from "./latest";
import type { NodeActions } from "./node-actions";
import { isCordonedBy, isInProgress, type ClusterState, type DrainProgress } from "./node-plan";
import { dependsOnControlPlane, olderFirst, planUpgrade, type UpgradePlan } from "./plan";
import { preflight } from "./preflight";
import { preflightFacts } from "./preflight-facts";
import { changeOf, hasBegun, isOver, readyCondition, statusFields } from "./status";
import { Stopwatch } from "./stopwatch";

/** What only people read is written at most so often, unless a step of a node is written anyway. */
const WORDS_INTERVAL_MS = 5000;
const HELD_POLL_MS = 3000;
/** Nothing waits longer than this for a look at the time. */
const WAIT_POLL_MS = 30_000;
const PREFLIGHT_POLL_MS = 15_000;
/** One step makes the next one possible: uncordoning a node, for example, beginning another. */
const MAX_ROUNDS = 4;

/** What the reconciler works with. */
export interface UpgradeParts {
  upgrades: Latest<UpgradeObject>;
  nodes: Latest<Node>;
  actions: NodeActions;
  drains: Pick<DrainReconciler, "progressOf">;
  controlPlane: ControlPlaneReader;
  /** Asks for nodes to be emptied. */
  drain: (node: string) => void;
  /** The labels of a namespace. */
  labelsOf: (namespace: string) => Readonly<Record<string, string>>;
}

/** Upgrades the nodes of a cluster, one ClusterUpgrade at a time: observe, plan, write the status, act. */
export class ClusterUpgradeReconciler {
  readonly #context: ControllerContext;
  readonly #parts: UpgradeParts;
  readonly #status;
  readonly #finalizer: Finalizer<UpgradeObject>;
  readonly #stopwatch: Stopwatch;
  readonly #draining = new Set<string>();
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

  /** Takes an upgrade as far as it goes without waiting for anything. */
  async #advance(begun: UpgradeObject, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { signal, log } = context;
    let upgrade = begun;
    for (let round = 1; ; round++) {
      const state = await this.#observe(upgrade, context);
      const plan = planUpgrade(upgrade, state);
      const recorded = await this.#record(upgrade, plan, context);
      if (recorded === undefined) return undefined;
      upgrade = recorded;
      await this.#perform(upgrade, plan, signal);
      this.#startDrains(plan);
      if (isOver({ status: plan })) {
        log.info("The upgrade is over.", { phase: plan.phase, upgrade: upgrade.metadata.name });
        return undefined;
      }
      if (plan.actions.length === 0 || round === MAX_ROUNDS) return this.#nextLook(plan);
    }
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
   * Writes what is planned before it is done: whoever comes after a crash finds what to finish or to undo. Gives the upgrade
   * as it is then, or undefined if it is gone.
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
    const isSoon = clock.monotonic() - this.#writtenAt < WORDS_INTERVAL_MS;
    if (change === "none" || (change === "words" && isSoon)) return upgrade;
    const written = await this.#status.write(upgrade, { Ready: ready }, fields, signal, { exact: true });
    this.#writtenAt = clock.monotonic();
    if (written !== undefined) this.#parts.upgrades.wrote(written);
    return written;
  }

  /** Carries out the plan's actions on nodes. Waits for all, also when one fails: none must go on unobserved. */
  async #perform(upgrade: UpgradeObject, { actions }: UpgradePlan, signal: AbortSignal): Promise<void> {
    await allEnded(
      actions.map(async (action) => {
        const node = this.#parts.nodes.get(action.node);
        if (node !== undefined) await this.#parts.actions.perform(action, node, upgrade, signal);
      }),
    );
  }

  /** Has each node emptied that is cordoned and was not asked for yet; from then on the drain comes back by itself. */
  #startDrains({ nodes }: UpgradePlan): void {
    const draining = nodes.filter(({ phase }) => phase === "Draining").map(({ name }) => name);
    for (const name of draining)
      if (!this.#draining.has(name) && this.#parts.nodes.get(name)?.spec?.unschedulable === true) {
        this.#draining.add(name);
        this.#parts.drain(name);
      }
    for (const name of this.#draining) if (!draining.includes(name)) this.#draining.delete(name);
  }

  #nextLook({ reason, nodes }: UpgradePlan): ReconcileResult {
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
