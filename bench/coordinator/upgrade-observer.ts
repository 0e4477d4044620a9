// Watches an upgrade from outside and counts what must not happen.
import { ORDER_ANNOTATION } from "../../api/upgrade-annotations";
import { UPGRADES } from "../../controllers/coordinator/kinds";
import { NODES, type Node } from "../../controllers/coordinator/native-resources";
import { CORDONED_BY } from "../../controllers/coordinator/upgrades/node-plan";
import { type ApiClient, Informer, type KubernetesObject, type Resource } from "../../controllers/runtime";

interface Pod extends KubernetesObject {
  status?: { conditions?: { type: string; status: string }[] };
}

const PODS: Resource<Pod> = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };

/** What went on during an upgrade. */
export interface Observed {
  /** Times at which fewer pods of an application were healthy than its budget asks for. */
  violations: number;
  /** The most nodes that were cordoned at once. */
  mostCordoned: number;
  /** Pods that were evicted. */
  evicted: number;
  /** Nodes that were handed over to their agent more than once. */
  repeated: number;
  /** Changes of Nodes and of the ClusterUpgrade by whoever upgrades. */
  writes: number;
  /** The size of the largest ClusterUpgrade, in bytes, as the API server sends it. */
  largestBytes: number;
}

const NOTHING: Observed = {
  violations: 0,
  mostCordoned: 0,
  evicted: 0,
  repeated: 0,
  writes: 0,
  largestBytes: 0,
};

/** Sees from outside, by watches of its own, whether an upgrade keeps to the rules. */
export class UpgradeObserver {
  readonly #end = new AbortController();
  readonly #runs: Promise<void>[] = [];
  readonly #synced: Promise<void>[] = [];
  readonly #healthy = new Map<string, number>();
  readonly #cordoned = new Set<string>();
  readonly #handovers = new Map<string, Set<string>>();
  #watching = false;
  #observed: Observed = { ...NOTHING };

  constructor(client: ApiClient, leastHealthy: number) {
    const pods = new Informer(client, PODS, { namespace: "default" });
    pods.onChange(({ before, after }) => {
      const app = (after ?? before)?.metadata.labels?.app ?? "";
      const change = Number(isHealthy(after)) - Number(isHealthy(before));
      const healthy = (this.#healthy.get(app) ?? 0) + change;
      this.#healthy.set(app, healthy);
      if (!this.#watching || change >= 0) return;
      this.#observed.evicted += 1;
      if (healthy < leastHealthy) this.#observed.violations += 1;
    });
    const nodes = new Informer(client, NODES);
    nodes.onChange(({ key, before, after }) => {
      if (marksOf(before) !== marksOf(after)) this.#observed.writes += 1;
      if (after?.spec?.unschedulable === true) this.#cordoned.add(key);
      else this.#cordoned.delete(key);
      this.#observed.mostCordoned = Math.max(this.#observed.mostCordoned, this.#cordoned.size);
    });
    const upgrades = new Informer(client, UPGRADES, { transform: (object) => object });
    upgrades.onChange(({ key, after }) => {
      if (after === undefined) return;
      this.#observed.writes += 1;
      this.#observed.largestBytes = Math.max(this.#observed.largestBytes, JSON.stringify(after).length);
      for (const { name, phase, phaseStartedAt = "" } of after.status?.nodes ?? []) {
        if (phase !== "Upgrading") continue;
        const id = `${key} ${name}`;
        this.#handovers.set(id, (this.#handovers.get(id) ?? new Set()).add(phaseStartedAt));
      }
    });
    for (const informer of [pods, nodes, upgrades]) {
      this.#runs.push(informer.run(this.#end.signal));
      this.#synced.push(informer.synced());
    }
  }

  /** Forgets what was, and counts from now on. */
  async begin(): Promise<void> {
    await Promise.all(this.#synced);
    this.#handovers.clear();
    this.#observed = { ...NOTHING, mostCordoned: this.#cordoned.size };
    this.#watching = true;
  }

  /** What was seen since it began. */
  get observed(): Observed {
    const repeated = [...this.#handovers.values()].filter(({ size }) => size > 1).length;
    return { ...this.#observed, repeated };
  }

  /** Nodes that are cordoned now. */
  get cordoned(): number {
    return this.#cordoned.size;
  }

  /** The fewest healthy pods that an application has now. */
  get fewestHealthy(): number {
    return Math.min(...this.#healthy.values());
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#runs);
  }
}

/** What whoever upgrades writes on a Node. */
function marksOf(node: Node | undefined): string {
  const { annotations = {} } = node?.metadata ?? {};
  return JSON.stringify([node?.spec?.unschedulable, annotations[CORDONED_BY], annotations[ORDER_ANNOTATION]]);
}

function isHealthy(pod: Pod | undefined): boolean {
  return (
    pod !== undefined &&
    pod.metadata.deletionTimestamp === undefined &&
    (pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false)
  );
}
