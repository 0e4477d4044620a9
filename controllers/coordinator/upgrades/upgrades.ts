import { GROUP } from "../../../api";
import { ORDER, orderOn, REPORT } from "../../handover";
import {
  Finalizer,
  isNotFound,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { UPGRADES, type UpgradeObject } from "../kinds";
import { NODES, type Node } from "../native";
import type { Part, Workplace } from "../part";
import { namespacesIn, nodesIn } from "../sources";
import { statusTransform, StatusWriter, well, wrong, type Judgement } from "../status";
import {
  blockingBudgets,
  evict,
  newestSnapshot,
  oldComponents,
  podsOn,
  serverVersion,
} from "./cluster-facts";
import { planDrain } from "./drain";
import { preflight } from "./preflight";
import {
  advance,
  CORDONED_BY,
  firstEntries,
  isInWork,
  moment,
  turnOrder,
  type Action,
  type Progress,
  type Situation,
} from "./progress";

const CONTROLLER = "upgrades";
const transform = statusTransform(CONTROLLER);
const DRAIN_LOOK_MS = 1000;
/** After evictions that were all let through: what ends at once is then soon seen to be gone. */
const EVICTED_LOOK_MS = 200;
const WAIT_LOOK_MS = 10_000;
const PREFLIGHT_LOOK_MS = 15_000;
/** A cordon is taken for forgotten only after this long: what says whose it is may still be on its way to us. */
const ORPHAN_MS = 5000;

type Phase = Progress["phase"];
const OVER: readonly (Phase | undefined)[] = ["Succeeded", "Failed", "Aborted"];

/** Plans upgrades of nodes and drives them, one upgrade at a time. */
export const upgrades: Part = {
  name: CONTROLLER,
  describes: "upgrades of nodes: preflight, cordon, drain, hand-over to the agent, verify, uncordon",
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
    { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: ["rke2-etcd-snapshots"], verbs: ["get"] },
    { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["list"] },
    { apiGroups: [GROUP], resources: ["clusterupgrades"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [GROUP], resources: ["clusterupgrades/status"], verbs: ["patch"] },
  ],
  setUp(workplace: Workplace): void {
    const { manager } = workplace;
    const nodes = nodesIn(manager.cache);
    const all = manager.cache.informer(UPGRADES, { transform });
    const driver = new Driver(workplace, all, nodes);
    const unfinished = (): string[] =>
      all
        .list()
        .filter((upgrade) => !isOver(upgrade))
        .map(({ metadata }) => metadata.name);
    manager
      .controller({
        name: CONTROLLER,
        reconcile: (name, context) => driver.reconcile(name, context),
        concurrency: 1,
      })
      .watches(all)
      .watches(all, unfinished)
      .watches(nodes, unfinished);
    const cordons = manager.controller({
      name: `${CONTROLLER}-cordons`,
      reconcile: (name, context) => driver.releaseForgotten(name, context),
    });
    const look = (node: Node): void => {
      if (node.metadata.annotations?.[CORDONED_BY] !== undefined || orderOn(node) !== undefined)
        cordons.queue.addAfter(node.metadata.name, ORPHAN_MS);
    };
    nodes.onChange(({ after }) => {
      if (after !== undefined) look(after);
    });
    all.onChange(() => nodes.list().forEach(look));
  },
};

function isOver({ status }: UpgradeObject): boolean {
  return OVER.includes(status?.phase);
}

class Driver {
  readonly #workplace: Workplace;
  readonly #upgrades: Informer<UpgradeObject>;
  readonly #nodes: Informer<Node>;
  readonly #status;
  readonly #finalizer: Finalizer<UpgradeObject>;

  constructor(workplace: Workplace, all: Informer<UpgradeObject>, nodes: Informer<Node>) {
    this.#workplace = workplace;
    this.#upgrades = all;
    this.#nodes = nodes;
    this.#status = new StatusWriter(workplace.client, UPGRADES, CONTROLLER);
    this.#finalizer = new Finalizer(workplace.client, UPGRADES, `${GROUP}/${CONTROLLER}`, [
      {
        name: "nodes",
        run: async ({ metadata }, signal) => {
          const held = nodes
            .list()
            .filter(
              (node) =>
                node.metadata.annotations?.[CORDONED_BY] === metadata.uid ||
                orderOn(node)?.uid === metadata.uid,
            );
          for (const node of held) {
            await this.#uncordon(node, metadata.uid, signal);
            await this.#forgetOrder(node, signal);
          }
          return held.length === 0
            ? "done"
            : { waitingFor: `${held.length} nodes to be released`, againAfterMs: 500 };
        },
      },
    ]);
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const upgrade = this.#upgrades.get(name);
    if (upgrade === undefined) {
      this.#status.forget(name);
      return undefined;
    }
    const { signal } = context;
    const begun = (upgrade.status?.nodes ?? []).length > 0;
    if (upgrade.metadata.deletionTimestamp !== undefined && (isOver(upgrade) || !begun)) {
      const end = await this.#finalizer.finalize(upgrade, signal);
      return end.finished ? undefined : end.result;
    }
    if (isOver(upgrade)) return undefined;
    const turn = this.#upgrades
      .list()
      .filter((other) => !isOver(other))
      .sort(olderFirst)[0];
    if (turn !== undefined && turn.metadata.name !== name) {
      const Ready = wrong("Waiting", `The older ClusterUpgrade ${turn.metadata.name} has its turn.`);
      await this.#status.write(upgrade, { Ready }, { phase: "Pending" }, signal);
      return undefined;
    }
    return begun ? this.#drive(upgrade, context) : this.#begin(upgrade, context);
  }

  async #begin(
    upgrade: UpgradeObject,
    { signal, clock }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    if (upgrade.spec.aborted) {
      await this.#status.write(
        upgrade,
        { Ready: wrong("Aborted", "It was aborted before it began.") },
        { phase: "Aborted" },
        signal,
      );
      return undefined;
    }
    if (upgrade.spec.paused) {
      await this.#status.write(
        upgrade,
        { Ready: wrong("Paused", "It is paused: set spec.paused to false.") },
        { phase: "Paused" },
        signal,
      );
      return undefined;
    }
    const { client } = this.#workplace;
    const nodes = this.#nodes.list();
    const selected = turnOrder(upgrade, nodes);
    const [version, snapshot, budgets] = await Promise.all([
      serverVersion(client, signal),
      newestSnapshot(client, signal),
      blockingBudgets(client, signal),
    ]);
    const facts = {
      nodes,
      selected,
      serverVersion: version,
      newestSnapshot: snapshot,
      blockingBudgets: budgets,
      now: clock.now(),
    };
    const problems =
      selected.length === 0 ? ["spec.nodeSelector fits no node; change it"] : preflight(upgrade, facts);
    if (problems.length > 0) {
      const Ready = wrong("PreflightFailed", `Not begun: ${problems.join("; ")}.`);
      await this.#status.write(upgrade, { Ready }, { phase: "Preflight" }, signal);
      return { requeueAfterMs: PREFLIGHT_LOOK_MS };
    }
    const held = await this.#finalizer.ensure(upgrade, signal);
    const entries = firstEntries(upgrade, nodes);
    const counts = {
      total: entries.length,
      done: entries.filter(({ phase }) => phase === "Done").length,
      failed: 0,
    };
    const Ready = wrong("Running", `Preflight went well; ${entries.length} nodes are to be upgraded.`);
    const fields = { phase: "Running" as const, startedAt: moment(clock.now()), nodes: entries, ...counts };
    await this.#status.write(held, { Ready }, fields, signal, { exact: true });
    return undefined;
  }

  async #drive(
    upgrade: UpgradeObject,
    { signal, clock, log }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const { evicting, ...situation } = await this.#look(upgrade, clock.now(), signal);
    const progress = advance(upgrade, situation);
    const over = OVER.includes(progress.phase);
    const count = (phase: string): number => progress.nodes.filter((entry) => entry.phase === phase).length;
    const startedAt = upgrade.status?.startedAt;
    await this.#status.write(
      upgrade,
      { Ready: judge(progress) },
      {
        phase: progress.phase,
        startedAt,
        completedAt: over ? moment(clock.now()) : undefined,
        total: progress.nodes.length,
        done: count("Done"),
        failed: count("Failed"),
        nodes: progress.nodes,
      },
      signal,
      { exact: true },
    );
    // The status tells of a step before it is taken: whoever comes after a crash finds what to finish or to undo.
    await together(progress.actions.map((action) => this.#act(upgrade, action, signal)));
    if (over) log.info("The upgrade is over.", { phase: progress.phase, upgrade: upgrade.metadata.name });
    if (progress.nodes.some(({ phase }) => phase === "Draining"))
      return { requeueAfterMs: evicting ? EVICTED_LOOK_MS : DRAIN_LOOK_MS };
    return progress.nodes.some(isInWork) ? { requeueAfterMs: WAIT_LOOK_MS } : undefined;
  }

  /** Looks at what the next step depends on, and asks pods of nodes that are draining to go. */
  async #look(
    upgrade: UpgradeObject,
    now: number,
    signal: AbortSignal,
  ): Promise<Situation & { evicting: boolean }> {
    const { evictor, client, manager } = this.#workplace;
    const namespaces = namespacesIn(manager.cache);
    const { drain, version } = upgrade.spec;
    const drains = new Map<string, { empty: boolean; waitingFor: string[] }>();
    const components = new Map<string, string[]>();
    const entries = upgrade.status?.nodes ?? [];
    let evicting = false;
    await Promise.all(
      entries.map(async ({ name, phase }) => {
        if (phase === "Verifying")
          components.set(name, oldComponents(await podsOn(client, name, signal), version));
        // Not before the cordon holds: what is evicted could come right back.
        if (phase !== "Draining" || this.#nodes.get(name)?.spec?.unschedulable !== true) return;
        const pods = await podsOn(client, name, signal);
        const plan = planDrain(pods, drain, (namespace) => namespaces.get(namespace)?.metadata.labels ?? {});
        const refusals: string[] = [];
        // One after another: of two pods under one budget the second must see that the first is gone.
        for (const pod of plan.evict) {
          const refusal = await evict(evictor, pod, drain.graceSeconds, signal);
          if (refusal !== undefined) refusals.push(refusal);
        }
        evicting ||= plan.evict.length > refusals.length;
        drains.set(name, { empty: plan.empty, waitingFor: [...refusals, ...plan.waitingFor] });
      }),
    );
    const nodes = new Map(this.#nodes.list().map((node) => [node.metadata.name, node]));
    return { nodes, drains, oldComponents: components, now, evicting };
  }

  async #act({ metadata }: UpgradeObject, action: Action, signal: AbortSignal): Promise<void> {
    const name = action.node;
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    if (action.what === "uncordon") return this.#uncordon(node, metadata.uid, signal);
    if (action.what === "order") {
      const order = { name: metadata.name, uid: metadata.uid, what: action.order };
      const annotations = { [ORDER]: JSON.stringify(order) };
      return this.#patch(name, { metadata: { uid: node.metadata.uid, annotations } }, signal);
    }
    const { uid, resourceVersion } = node.metadata;
    const body = {
      metadata: { uid, resourceVersion, annotations: { [CORDONED_BY]: metadata.uid } },
      spec: { unschedulable: true },
    };
    await this.#patch(name, body, signal);
  }

  async #uncordon(node: Node, by: string | undefined, signal: AbortSignal): Promise<void> {
    if (by === undefined || node.metadata.annotations?.[CORDONED_BY] !== by) return;
    const { uid, name } = node.metadata;
    await this.#patch(
      name,
      { metadata: { uid, annotations: { [CORDONED_BY]: null } }, spec: { unschedulable: null } },
      signal,
    );
  }

  async #forgetOrder({ metadata: { name, uid } }: Node, signal: AbortSignal): Promise<void> {
    await this.#patch(name, { metadata: { uid, annotations: { [ORDER]: null, [REPORT]: null } } }, signal);
  }

  async #patch(name: string, body: object, signal: AbortSignal): Promise<void> {
    try {
      await this.#workplace.client.patch(NODES, { name }, body, {
        query: { fieldManager: `fleetwright-${CONTROLLER}` },
        signal,
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Uncordons a node that an upgrade cordoned which no longer works on it, and takes back the order of one that is gone. */
  async releaseForgotten(name: string, { signal, log }: ReconcileContext): Promise<undefined> {
    const node = this.#nodes.get(name);
    if (node === undefined) return undefined;
    const order = orderOn(node);
    if (order !== undefined && !this.#upgrades.list().some(({ metadata }) => metadata.uid === order.uid))
      await this.#forgetOrder(node, signal);
    const by = node.metadata.annotations?.[CORDONED_BY];
    if (by === undefined) return undefined;
    const upgrade = this.#upgrades.list().find(({ metadata }) => metadata.uid === by);
    const works = upgrade?.status?.nodes?.some((entry) => entry.name === name && isInWork(entry)) ?? false;
    if (upgrade !== undefined && !isOver(upgrade) && works) return undefined;
    log.warn("The node was left cordoned by an upgrade that no longer works on it, and is uncordoned.");
    await this.#uncordon(node, by, signal);
    return undefined;
  }
}

/** Waits for all, also when one fails: what the others do must not go on behind our back. */
async function together(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

function olderFirst(a: UpgradeObject, b: UpgradeObject): number {
  const age = ({ metadata }: UpgradeObject): string => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return age(a) < age(b) ? -1 : 1;
}

function judge({ phase, message }: Progress): Judgement {
  return phase === "Succeeded" ? well("Succeeded", message) : wrong(phase, message);
}
