import type { Informer } from "../../runtime";
import { DeletionGuard } from "../../app/deletion-guard";
import type { ClusterLabelObject, NodePoolLabelObject } from "../kinds";
import { isPoolLabel, resolve, sameDeclared, type Declared } from "./plan";

/** What all ClusterLabels and NodePoolLabels together declare; computed when first needed after a change. */
export class Declarations {
  readonly guards: { cluster: DeletionGuard<ClusterLabelObject>; pool: DeletionGuard<NodePoolLabelObject> };
  readonly #cluster: Informer<ClusterLabelObject>;
  readonly #pools: Informer<NodePoolLabelObject>;
  #current: Declared | undefined;

  constructor(cluster: Informer<ClusterLabelObject>, pools: Informer<NodePoolLabelObject>) {
    this.#cluster = cluster;
    this.#pools = pools;
    this.guards = { cluster: new DeletionGuard(cluster), pool: new DeletionGuard(pools) };
  }

  get current(): Declared {
    const { cluster, pool } = this.guards;
    return (this.#current ??= resolve(this.#cluster.list(), this.#pools.list(), (label) =>
      isPoolLabel(label) ? pool.confirmsDeletion(label) : cluster.confirmsDeletion(label),
    ));
  }

  /**
   * Calls when something else is declared for nodes. Compared as a whole: our own writes of status, and deletions that
   * are held back, change nothing for nodes.
   */
  onChange(listener: () => void): void {
    let before: Declared | undefined;
    let scheduled = false;
    const compare = (): void => {
      scheduled = false;
      const after = this.current;
      if (before !== undefined && sameDeclared(before, after)) return;
      before = after;
      listener();
    };
    const changed = (): void => {
      this.#current = undefined;
      if (!scheduled) setImmediate(compare);
      scheduled = true;
    };
    this.#cluster.onChange(changed);
    this.#pools.onChange(changed);
  }
}
