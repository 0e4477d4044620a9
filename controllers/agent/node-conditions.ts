// Writes the agent's conditions of its own Node.
import { Applier, type ApiClient, type KubernetesObject } from "../runtime";
import { NODES, type NodeCondition, type NodeObject } from "./kinds";

/** What a condition of the node should say; as with the kubelet's own conditions, True is bad news. */
export interface NodeConditionState {
  bad: boolean;
  reason: string;
  message: string;
}

/** Writes conditions of the agent's own node, and only when they differ from the live ones. */
export class NodeConditions {
  readonly #applier: Applier;
  readonly #types: readonly string[];
  readonly #now: () => number;

  /** `types` are all condition types that this writer owns. */
  constructor(client: ApiClient, manager: string, types: readonly string[]) {
    this.#applier = new Applier(client, manager);
    this.#types = types;
    this.#now = () => client.clock.now();
  }

  /** Writes the states by condition type; a condition without one is removed. */
  async write(
    node: NodeObject,
    states: Readonly<Record<string, NodeConditionState | undefined>>,
    signal: AbortSignal,
  ): Promise<void> {
    const live = node.status?.conditions ?? [];
    const before = new Map(live.map((condition) => [condition.type, condition]));
    const time = new Date(this.#now()).toISOString().replace(/\.\d+Z$/, "Z");
    let differs = false;
    const conditions: NodeCondition[] = [];
    for (const type of this.#types) {
      const wanted = states[type];
      const had = before.get(type);
      if (wanted === undefined) {
        differs ||= had !== undefined;
        continue;
      }
      const status = wanted.bad ? "True" : "False";
      const { reason, message } = wanted;
      const lastTransitionTime = had?.status === status ? (had.lastTransitionTime ?? time) : time;
      differs ||= had?.status !== status || had.reason !== reason || had.message !== message;
      conditions.push({ type, status, reason, message, lastTransitionTime });
    }
    if (!differs) return;
    const body: KubernetesObject & { status: object } = {
      metadata: { name: node.metadata.name },
      status: { conditions },
    };
    await this.#applier.apply<KubernetesObject>(NODES, body, { subresource: "status", force: true, signal });
  }
}
