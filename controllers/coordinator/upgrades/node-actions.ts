// Changes nodes for an upgrade.
import { ORDER_ANNOTATION, REPORT_ANNOTATION } from "../../../api/upgrade-annotations";
import { isConflict, isNotFound, type ApiClient } from "../../runtime";
import type { UpgradeObject } from "../kinds";
import { NODES, type Node } from "../native-resources";
import type { Latest } from "./latest";
import { CORDONED_BY, type Action } from "./node-plan";

/** Changes nodes for an upgrade: cordons, uncordons, and gives orders to the agent. Nodes that are gone are ignored. */
export class NodeActions {
  readonly #client: ApiClient;
  readonly #fieldManager: string;
  readonly #nodes: Latest<Node>;

  constructor(client: ApiClient, fieldManager: string, nodes: Latest<Node>) {
    this.#client = client;
    this.#fieldManager = fieldManager;
    this.#nodes = nodes;
  }

  /** Carries out a planned action. */
  async perform(action: Action, node: Node, upgrade: UpgradeObject, signal: AbortSignal): Promise<void> {
    const { name, uid = "" } = upgrade.metadata;
    switch (action.what) {
      case "cordon":
        return this.#cordon(node, uid, signal);
      case "uncordon":
        return this.uncordon(node, uid, signal);
      case "order": {
        const order = { name, uid, what: action.order };
        return this.#annotate(node, { [ORDER_ANNOTATION]: JSON.stringify(order) }, signal);
      }
    }
  }

  /** Uncordons a node if the upgrade with this uid cordoned it. */
  async uncordon(node: Node, by: string | undefined, signal: AbortSignal): Promise<void> {
    if (by === undefined || node.metadata.annotations?.[CORDONED_BY] !== by) return;
    const { uid } = node.metadata;
    const metadata = { uid, annotations: { [CORDONED_BY]: null } };
    await this.#patch(node, { metadata, spec: { unschedulable: null } }, signal);
  }

  /** Takes back the order to the agent, and removes its report. */
  async withdrawOrder(node: Node, signal: AbortSignal): Promise<void> {
    await this.#annotate(node, { [ORDER_ANNOTATION]: null, [REPORT_ANNOTATION]: null }, signal);
  }

  /** Cordons a node that nobody has cordoned, which is what makes it ours to uncordon. */
  async #cordon(node: Node, by: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#cordonExactly(node, by, signal);
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Nodes change all the time, mostly in what is none of our business.
      const live = await this.#client.get(NODES, node.metadata, signal);
      this.#nodes.wrote(live);
      if (live.spec?.unschedulable !== true) await this.#cordonExactly(live, by, signal);
    }
  }

  async #cordonExactly(node: Node, by: string, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion } = node.metadata;
    const metadata = { uid, resourceVersion, annotations: { [CORDONED_BY]: by } };
    await this.#patch(node, { metadata, spec: { unschedulable: true } }, signal);
  }

  async #annotate(
    node: Node,
    annotations: Record<string, string | null>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#patch(node, { metadata: { uid: node.metadata.uid, annotations } }, signal);
  }

  async #patch({ metadata: { name } }: Node, body: object, signal: AbortSignal): Promise<void> {
    try {
      const written = await this.#client.patch(NODES, { name }, body, {
        query: { fieldManager: this.#fieldManager },
        signal,
      });
      this.#nodes.wrote(written);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
