// Since when nodes are not Ready, by this process's own monotonic clock: neither a wall clock that jumps nor the times in
// objects make a node look lost.
import type { Clock, Informer } from "../../runtime";
import type { Node } from "../native-resources";
import { isReady } from "./plan";

/** Watches nodes and remembers since when each is not Ready without a break. */
export class NotReadyNodes {
  readonly #clock: Clock;
  readonly #since = new Map<string, { uid: string; at: number }>();

  constructor(nodes: Informer<Node>, clock: Clock, changed: () => void) {
    this.#clock = clock;
    nodes.onChange(({ key, after }) => {
      const known = this.#since.get(key);
      if (after === undefined || isReady(after)) {
        this.#since.delete(key);
        return;
      }
      const uid = after.metadata.uid ?? "";
      if (known?.uid === uid) return;
      this.#since.set(key, { uid, at: clock.monotonic() });
      changed();
    });
  }

  /** How long a node has not been Ready; undefined if it is. */
  lastingMs({ metadata: { name, uid } }: Node): number | undefined {
    const known = this.#since.get(name);
    return known === undefined || known.uid !== uid ? undefined : this.#clock.monotonic() - known.at;
  }
}
