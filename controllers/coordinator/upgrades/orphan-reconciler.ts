// Releases nodes that no upgrade works on any more.
import { orderOn } from "../../../api/upgrade-annotations";
import type { ReconcileContext } from "../../runtime";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import type { Latest } from "./latest";
import type { NodeActions } from "./node-actions";
import { entriesOf } from "./entries";
import { CORDONED_BY, isInProgress } from "./node-plan";
import { isOver } from "./status";

/** Releases nodes that an upgrade left behind: uncordons them, and withdraws orders of upgrades that are gone. */
export class OrphanReconciler {
  readonly #upgrades: Latest<UpgradeObject>;
  readonly #nodes: Latest<Node>;
  readonly #actions: NodeActions;

  constructor(upgrades: Latest<UpgradeObject>, nodes: Latest<Node>, actions: NodeActions) {
    this.#upgrades = upgrades;
    this.#nodes = nodes;
    this.#actions = actions;
  }

  /** Whether a node carries marks of an upgrade at all. */
  static isMarked(node: Node): boolean {
    return node.metadata.annotations?.[CORDONED_BY] !== undefined || orderOn(node) !== undefined;
  }

  async reconcile(name: string, { signal, log }: ReconcileContext): Promise<undefined> {
    const node = this.#nodes.get(name);
    if (node === undefined) return undefined;
    const order = orderOn(node);
    if (order !== undefined && this.#withUid(order.uid) === undefined)
      await this.#actions.withdrawOrder(node, signal);
    const by = node.metadata.annotations?.[CORDONED_BY];
    if (by === undefined) return undefined;
    const upgrade = this.#withUid(by);
    const inProgress =
      upgrade !== undefined &&
      !isOver(upgrade) &&
      entriesOf(upgrade).some((entry) => entry.name === name && isInProgress(entry));
    if (inProgress) return undefined;
    log.warn("Uncordoning a node that an upgrade left cordoned and no longer works on.");
    await this.#actions.uncordon(node, by, signal);
    return undefined;
  }

  #withUid(uid: string): UpgradeObject | undefined {
    return this.#upgrades.list().find(({ metadata }) => metadata.uid === uid);
  }
}
