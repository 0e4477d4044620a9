import { ORDER, REPORT } from "../handover";
import {
  Applier,
  type ApiClient,
  type Cache,
  type Controller,
  type Informer,
  type KubernetesObject,
} from "../runtime";
import { NODES, type NodeCondition, type NodeObject } from "./kinds";

/** The informer of the agent's own node: the server sends no other. */
export function ownNode(cache: Cache, name: string): Informer<NodeObject> {
  return cache.informer(NODES, { fieldSelector: `metadata.name=${name}`, transform: slim });
}

/**
 * Lets a controller look at the node when something that it looks at has changed: the kubelet writes its status all the
 * time.
 */
export function followNode(
  controller: Controller,
  node: Informer<NodeObject>,
  looksAt: (node: NodeObject) => unknown,
): void {
  const seen = (one: NodeObject | undefined): string =>
    one === undefined ? "" : JSON.stringify(looksAt(one));
  controller.watches(node, () => []);
  node.onChange(({ key, before, after }) => {
    if (seen(before) !== seen(after)) controller.queue.add(key);
  });
}

// What is never looked at is not kept, above all the list of images.
function slim({ apiVersion, kind, metadata, spec, status }: NodeObject): NodeObject {
  const { name, uid, resourceVersion, labels, annotations = {} } = metadata;
  const handover = Object.entries(annotations).filter(([key]) => key === ORDER || key === REPORT);
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(labels === undefined ? {} : { labels }),
      ...(handover.length === 0 ? {} : { annotations: Object.fromEntries(handover) }),
    },
    spec: { taints: (spec?.taints ?? []).map(({ key }) => ({ key })) },
    status: { conditions: status?.conditions ?? [] },
  };
}

/** A judgement about a node; as with the kubelet's own, True is bad news. */
export interface NodeJudgement {
  bad: boolean;
  reason: string;
  message: string;
}

/** Writes conditions of the agent's own node, and only when they differ from what is there. */
export class NodeConditions {
  readonly #applier: Applier;
  readonly #types: readonly string[];
  readonly #now: () => number;

  /** `types` are all that this writer is in charge of. */
  constructor(client: ApiClient, manager: string, types: readonly string[]) {
    this.#applier = new Applier(client, manager);
    this.#types = types;
    this.#now = () => client.clock.now();
  }

  /** Writes the judgements; a type without one is removed. */
  async write(
    node: NodeObject,
    judgements: Readonly<Record<string, NodeJudgement | undefined>>,
    signal: AbortSignal,
  ): Promise<void> {
    const live = node.status?.conditions ?? [];
    const before = new Map(live.map((condition) => [condition.type, condition]));
    const time = new Date(this.#now()).toISOString().replace(/\.\d+Z$/, "Z");
    let differs = false;
    const conditions: NodeCondition[] = [];
    for (const type of this.#types) {
      const wanted = judgements[type];
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
