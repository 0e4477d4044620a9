// Reconciles ClusterUpgrades. Decisions are in plan.ts and node-plan.ts, changes of nodes in node-actions.ts.
import { GROUP } from "../../../api";
import { orderOn } from "../../../api/upgrade-annotations";
import { allEnded } from "../../../lib/all-ended";
import {
  Finalizer,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
  type StepOutcome,
} from "../../runtime";
import type { ControllerContext } from "../controller-context";
import { UPGRADES, type UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { namespacesIn } from "../shared-informers";
import { conditionFalse, StatusWriter } from "../status";
import { preciseTimestamp } from "../timestamp";
import { blockingBudgets, newestSnapshot, oldComponents, podsOn, serverVersion } from "./cluster-facts";
import { planDrain, type DrainPlan } from "./drain";
import { evictPods, type EvictionResult } from "./eviction";
import type { NodeActions } from "./node-actions";
import { CORDONED_BY, isInProgress } from "./node-plan";
import { initialEntries, isEnding, olderFirst, planUpgrade, upgradeOrder, type UpgradePlan } from "./plan";
import { preflight } from "./preflight";
import { hasBegun, isOver, readyCondition, statusFields } from "./status";

const DRAIN_POLL_MS = 1000;
/** After evictions that were all allowed: a pod that ends at once is then soon seen to be gone. */
const EVICTED_POLL_MS = 200;
const WAIT_POLL_MS = 10_000;
const PREFLIGHT_POLL_MS = 15_000;

/** Upgrades the nodes of a cluster, one ClusterUpgrade at a time: observe, plan, write the status, act. */
export class ClusterUpgradeReconciler {
  readonly #context: ControllerContext;
  readonly #upgrades: Informer<UpgradeObject>;
  readonly #nodes: Informer<Node>;
  readonly #actions: NodeActions;
  readonly #status;
  readonly #finalizer: Finalizer<UpgradeObject>;

  constructor(
    context: ControllerContext,
    controller: string,
    upgrades: Informer<UpgradeObject>,
    nodes: Informer<Node>,
    actions: NodeActions,
  ) {
    this.#context = context;
    this.#upgrades = upgrades;
    this.#nodes = nodes;
    this.#actions = actions;
    this.#status = new StatusWriter(context.client, UPGRADES, controller);
    this.#finalizer = new Finalizer(context.client, UPGRADES, `${GROUP}/${controller}`, [
      { name: "nodes", run: (upgrade, signal) => this.#releaseNodes(upgrade, signal) },
    ]);
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const upgrade = this.#upgrades.get(name);
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
    const unfinished = this.#upgrades.list().filter((other) => !isOver(other));
    const first = unfinished.sort(olderFirst)[0]?.metadata.name ?? name;
    if (first !== name)
      return this.#wait(upgrade, "Pending", "Waiting", `Waiting for older ClusterUpgrade ${first}.`, signal);
    return hasBegun(upgrade) ? this.#advance(upgrade, context) : this.#begin(upgrade, context);
  }

  /** Runs preflight and writes the first status of every node. */
  async #begin(upgrade: UpgradeObject, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { signal, clock } = context;
    if (upgrade.spec.aborted)
      return this.#wait(upgrade, "Aborted", "Aborted", "Aborted before it began.", signal);
    if (upgrade.spec.paused)
      return this.#wait(upgrade, "Paused", "Paused", "Paused: set spec.paused to false to begin.", signal);
    const problems = await this.#preflight(upgrade, context);
    if (problems.length > 0) {
      await this.#wait(
        upgrade,
        "Preflight",
        "PreflightFailed",
        `Preflight failed: ${problems.join("; ")}.`,
        signal,
      );
      return { requeueAfterMs: PREFLIGHT_POLL_MS };
    }
    const held = await this.#finalizer.ensure(upgrade, signal);
    const nodes = initialEntries(upgrade, this.#nodes.list());
    const fields = {
      phase: "Running" as const,
      startedAt: preciseTimestamp(clock.now()),
      nodes,
      total: nodes.length,
      done: nodes.filter(({ phase }) => phase === "Done").length,
      failed: 0,
    };
    const Ready = conditionFalse("Running", `Preflight passed; upgrading ${nodes.length} nodes.`);
    await this.#status.write(held, { Ready }, fields, signal, { exact: true });
    return undefined;
  }

  async #preflight(upgrade: UpgradeObject, { signal, clock }: ReconcileContext): Promise<string[]> {
    const { client } = this.#context;
    const nodes = this.#nodes.list();
    const selected = upgradeOrder(upgrade, nodes);
    if (selected.length === 0) return ["spec.nodeSelector matches no node; change it"];
    const [version, snapshot, budgets] = await Promise.all([
      serverVersion(client, signal),
      newestSnapshot(client, signal),
      blockingBudgets(client, signal),
    ]);
    return preflight(upgrade, {
      nodes,
      selected,
      serverVersion: version,
      newestSnapshot: snapshot,
      blockingBudgets: budgets,
      now: clock.now(),
    });
  }

  /** Takes an upgrade that has begun one step further. */
  async #advance(
    upgrade: UpgradeObject,
    { signal, clock, log }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const now = clock.now();
    const drainPlans = await this.#planDrains(upgrade, signal);
    const evictions = await this.#evict(upgrade, drainPlans, signal);
    const plan = planUpgrade(upgrade, {
      nodes: new Map(this.#nodes.list().map((node) => [node.metadata.name, node])),
      drains: new Map(
        [...drainPlans].map(([node, { empty, waitingFor }]) => [
          node,
          { empty, waitingFor: [...(evictions.get(node)?.refusals ?? []), ...waitingFor] },
        ]),
      ),
      oldComponents: await this.#oldComponents(upgrade, signal),
      now,
    });
    // The status has a step before it is taken: whoever comes after a crash finds what to finish or to undo.
    const fields = statusFields(upgrade, plan, now);
    await this.#status.write(upgrade, { Ready: readyCondition(plan) }, fields, signal, { exact: true });
    await this.#perform(upgrade, plan, signal);
    if (isOver({ status: plan }))
      log.info("The upgrade is over.", { phase: plan.phase, upgrade: upgrade.metadata.name });
    if (plan.nodes.some(({ phase }) => phase === "Draining")) {
      const evicted = [...evictions.values()].some((result) => result.evicted > 0);
      return { requeueAfterMs: evicted ? EVICTED_POLL_MS : DRAIN_POLL_MS };
    }
    return plan.nodes.some(isInProgress) ? { requeueAfterMs: WAIT_POLL_MS } : undefined;
  }

  /** What to evict from the nodes that are draining. */
  async #planDrains(upgrade: UpgradeObject, signal: AbortSignal): Promise<Map<string, DrainPlan>> {
    if (isEnding(upgrade)) return new Map();
    const namespaces = namespacesIn(this.#context.manager.cache);
    // Not before the cordon holds: what is evicted could be scheduled there again.
    const draining = (upgrade.status?.nodes ?? []).filter(
      ({ name, phase }) => phase === "Draining" && this.#nodes.get(name)?.spec?.unschedulable === true,
    );
    const plans = draining.map(async ({ name }): Promise<[string, DrainPlan]> => {
      const pods = await podsOn(this.#context.client, name, signal);
      const labelsOf = (namespace: string): Record<string, string> =>
        namespaces.get(namespace)?.metadata.labels ?? {};
      return [name, planDrain(pods, upgrade.spec.drain, labelsOf)];
    });
    return new Map(await Promise.all(plans));
  }

  async #evict(
    { spec }: UpgradeObject,
    plans: ReadonlyMap<string, DrainPlan>,
    signal: AbortSignal,
  ): Promise<Map<string, EvictionResult>> {
    const evictions = [...plans].map(async ([node, plan]): Promise<[string, EvictionResult]> => [
      node,
      await evictPods(this.#context.evictor, plan, spec.drain.graceSeconds, signal),
    ]);
    return new Map(await allEnded(evictions));
  }

  /** The control plane components of nodes that are verifying which are not at the version yet. */
  async #oldComponents({ spec, status }: UpgradeObject, signal: AbortSignal): Promise<Map<string, string[]>> {
    const verifying = (status?.nodes ?? []).filter(({ phase }) => phase === "Verifying");
    const found = verifying.map(async ({ name }): Promise<[string, string[]]> => [
      name,
      oldComponents(await podsOn(this.#context.client, name, signal), spec.version),
    ]);
    return new Map(await Promise.all(found));
  }

  /** Carries out the plan's actions on nodes. Waits for all, also when one fails: none must go on unobserved. */
  async #perform(upgrade: UpgradeObject, { actions }: UpgradePlan, signal: AbortSignal): Promise<void> {
    await allEnded(
      actions.map(async (action) => {
        const node = this.#nodes.get(action.node);
        if (node !== undefined) await this.#actions.perform(action, node, upgrade, signal);
      }),
    );
  }

  /** Before an upgrade is deleted: uncordons its nodes and withdraws its orders. */
  async #releaseNodes({ metadata }: UpgradeObject, signal: AbortSignal): Promise<StepOutcome> {
    const held = this.#nodes
      .list()
      .filter(
        (node) =>
          node.metadata.annotations?.[CORDONED_BY] === metadata.uid || orderOn(node)?.uid === metadata.uid,
      );
    for (const node of held) {
      await this.#actions.uncordon(node, metadata.uid, signal);
      await this.#actions.withdrawOrder(node, signal);
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
