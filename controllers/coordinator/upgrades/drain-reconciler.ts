// Empties nodes: lists their pods and evicts them. Apart from the upgrade's own decisions, which never wait for an eviction.
import { errorMessage, type ApiClient, type ReconcileContext, type ReconcileResult } from "../../runtime";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { podsOn } from "./cluster-facts";
import { planDrain } from "./drain";
import { entriesOf } from "./entries";
import { evictPods } from "./eviction";
import type { Latest } from "./latest";
import type { DrainProgress } from "./node-plan";
import { isEnding } from "./plan";
import { isOver } from "./status";

const DRAIN_POLL_MS = 1000;
/** After evictions that were all allowed: a pod that ends at once is then soon seen to be gone. */
const EVICTED_POLL_MS = 200;

/** What a drain reads and writes. */
export interface DrainContext {
  client: ApiClient;
  /** Returns "429 Too Many Requests" instead of retrying it. */
  evictor: ApiClient;
  upgrades: Latest<UpgradeObject>;
  nodes: Latest<Node>;
  labelsOf: (namespace: string) => Readonly<Record<string, string>>;
  /** Called when the upgrade of this name has something new to look at. */
  onProgress: (upgrade: string) => void;
}

/** Empties the nodes that an upgrade has cordoned, one key a node, and remembers how far each is. */
export class DrainReconciler {
  readonly #context: DrainContext;
  readonly #progress = new Map<string, DrainProgress & { drain: string }>();

  constructor(context: DrainContext) {
    this.#context = context;
  }

  /** How far a node is; undefined if it was not looked at in this drain yet. */
  progressOf(node: string): DrainProgress | undefined {
    const found = this.#progress.get(node);
    return found !== undefined && found.drain === this.#wanted(node)?.drain ? found : undefined;
  }

  async reconcile(name: string, { signal, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const wanted = this.#wanted(name);
    if (wanted === undefined) {
      this.#progress.delete(name);
      return undefined;
    }
    const { upgrade, drain } = wanted;
    const { client, evictor, labelsOf, onProgress } = this.#context;
    const { graceSeconds } = upgrade.spec.drain;
    const isWanted = (): boolean => this.#wanted(name)?.drain === drain;
    let evicted = 0;
    let progress: DrainProgress;
    try {
      const plan = planDrain(await podsOn(client, name, signal), upgrade.spec.drain, labelsOf);
      const result = await evictPods(evictor, plan, { graceSeconds, signal, isWanted });
      evicted = result.evicted;
      progress = { empty: plan.empty, waitingFor: [...result.refusals, ...plan.waitingFor] };
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn("The pods of a node cannot be listed; trying again.", { cause: errorMessage(error) });
      progress = { empty: false, waitingFor: [`its pods, which cannot be listed: ${errorMessage(error)}`] };
    }
    const before = this.#progress.get(name);
    this.#progress.set(name, { ...progress, drain });
    const isNews = before?.drain !== drain || wordsOf(before) !== wordsOf(progress);
    if (isNews) onProgress(upgrade.metadata.name);
    if (progress.empty) return undefined;
    return { requeueAfterMs: evicted > 0 ? EVICTED_POLL_MS : DRAIN_POLL_MS };
  }

  /** The upgrade that wants a node emptied now, and a word for this drain of it. */
  #wanted(name: string): { upgrade: UpgradeObject; drain: string } | undefined {
    // Not before the cordon holds: what is evicted could be scheduled there again.
    if (this.#context.nodes.get(name)?.spec?.unschedulable !== true) return undefined;
    for (const upgrade of this.#context.upgrades.list()) {
      if (isOver(upgrade) || isEnding(upgrade)) continue;
      const entry = entriesOf(upgrade).find((one) => one.name === name && one.phase === "Draining");
      if (entry !== undefined)
        return { upgrade, drain: `${upgrade.metadata.uid ?? ""} ${entry.startedAt ?? ""}` };
    }
    return undefined;
  }
}

function wordsOf({ empty, waitingFor }: DrainProgress): string {
  return JSON.stringify([empty, waitingFor]);
}
