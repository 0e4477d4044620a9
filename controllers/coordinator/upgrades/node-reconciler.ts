// Does to single nodes what the status of an upgrade says: cordons, empties, orders the agent, uncordons.
import { errorMessage, type ApiClient, type ReconcileContext, type ReconcileResult } from "../../runtime";
import type { NodeUpgradeStatus } from "../../../api";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { podsOn } from "./cluster-facts";
import type { ControlPlaneReader } from "./control-plane-reader";
import { planDrain } from "./drain";
import { entriesOf } from "./entries";
import { evictPods } from "./eviction";
import type { Latest } from "./latest";
import type { NodeActions } from "./node-actions";
import { actionsFor, type DrainProgress } from "./node-plan";
import { isEnding } from "./plan";
import { isOver } from "./status";
import { isControlPlane } from "./versions";

const DRAIN_POLL_MS = 1000;
/** After evictions that were all allowed: a pod that ends at once is then soon seen to be gone. */
const EVICTED_POLL_MS = 200;

/** What the reconciler of nodes works with. */
export interface NodeReconcilerParts {
  client: ApiClient;
  /** Returns "429 Too Many Requests" instead of retrying it. */
  evictor: ApiClient;
  upgrades: Latest<UpgradeObject>;
  nodes: Latest<Node>;
  actions: NodeActions;
  controlPlane: ControlPlaneReader;
  labelsOf: (namespace: string) => Readonly<Record<string, string>>;
  /** Called when the upgrade of this name has something new to look at. */
  onProgress: (upgrade: string) => void;
}

/** A node that an upgrade has in work, as status says. */
interface NodeInWork {
  upgrade: UpgradeObject;
  entry: NodeUpgradeStatus;
}

/**
 * Works on the nodes of the running upgrade, one key a node, many at once. It does only what status says already, so whoever
 * comes after a crash finds what to finish; and what goes wrong at one node, or takes long, holds up no decision.
 */
export class UpgradeNodeReconciler {
  readonly #parts: NodeReconcilerParts;
  readonly #progress = new Map<string, DrainProgress & { turn: string }>();

  constructor(parts: NodeReconcilerParts) {
    this.#parts = parts;
  }

  /** How far the emptying of a node is; undefined if it was not looked at in this turn yet. */
  progressOf(node: string): DrainProgress | undefined {
    const found = this.#progress.get(node);
    return found?.turn === turnOf(this.#inWork(node)) ? found : undefined;
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const found = this.#inWork(name);
    if (found === undefined) {
      this.#progress.delete(name);
      return undefined;
    }
    if (await this.#act(name, found, context.signal)) this.#parts.onProgress(found.upgrade.metadata.name);
    return this.#isToBeEmptied(name, turnOf(found)) ? this.#drain(name, found, context) : undefined;
  }

  /** Takes the steps that status has and the Node has not yet. Says whether there were any. */
  async #act(name: string, { upgrade, entry }: NodeInWork, signal: AbortSignal): Promise<boolean> {
    const { nodes, controlPlane, actions: performer } = this.#parts;
    const node = nodes.get(name);
    if (node === undefined) return false;
    // Only of a server is asked how the others are.
    const isServer = isControlPlane(node);
    const known = isServer ? nodes.list() : [node];
    const actions = actionsFor([entry], upgrade, isEnding(upgrade), {
      nodes: new Map(known.map((one) => [one.metadata.name, one])),
      controlPlane: isServer ? await controlPlane.look(signal) : undefined,
    });
    for (const action of actions) await performer.perform(action, nodes.get(name) ?? node, upgrade, signal);
    return actions.length > 0;
  }

  async #drain(
    name: string,
    found: NodeInWork,
    { signal, log }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const { client, evictor, labelsOf, onProgress } = this.#parts;
    const { metadata, spec } = found.upgrade;
    const { graceSeconds } = spec.drain;
    const turn = turnOf(found);
    let evicted = 0;
    let progress: DrainProgress;
    try {
      const plan = planDrain(await podsOn(client, name, signal), spec.drain, labelsOf);
      const isWanted = (): boolean => this.#isToBeEmptied(name, turn);
      const result = await evictPods(evictor, plan, { graceSeconds, signal, isWanted });
      evicted = result.evicted;
      progress = { empty: plan.empty, waitingFor: [...result.refusals, ...plan.waitingFor] };
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn("The pods of a node cannot be listed; trying again.", { cause: errorMessage(error) });
      progress = { empty: false, waitingFor: [`its pods, which cannot be listed: ${errorMessage(error)}`] };
    }
    const before = this.#progress.get(name);
    this.#progress.set(name, { ...progress, turn });
    if (before?.turn !== turn || wordsOf(before) !== wordsOf(progress)) onProgress(metadata.name);
    if (progress.empty) return undefined;
    return { requeueAfterMs: evicted > 0 ? EVICTED_POLL_MS : DRAIN_POLL_MS };
  }

  /** Whether a node is to be emptied, still in the same turn. */
  #isToBeEmptied(name: string, turn: string): boolean {
    const found = this.#inWork(name);
    return (
      found !== undefined &&
      turnOf(found) === turn &&
      found.entry.phase === "Draining" &&
      !isEnding(found.upgrade) &&
      // Not before the cordon holds: what is evicted could be scheduled there again.
      this.#parts.nodes.get(name)?.spec?.unschedulable === true
    );
  }

  /** The upgrade that has a node in work, and its entry. */
  #inWork(name: string): NodeInWork | undefined {
    for (const upgrade of this.#parts.upgrades.list()) {
      const entry = isOver(upgrade) ? undefined : entriesOf(upgrade).find((one) => one.name === name);
      if (entry !== undefined) return { upgrade, entry };
    }
    return undefined;
  }
}

/** Tells one turn of a node from another: of another upgrade, or a second one after it was gone. */
function turnOf(found: NodeInWork | undefined): string {
  return `${found?.upgrade.metadata.uid ?? ""} ${found?.entry.startedAt ?? ""}`;
}

function wordsOf({ empty, waitingFor }: DrainProgress): string {
  return JSON.stringify([empty, waitingFor]);
}
