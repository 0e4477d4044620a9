import {
  compareVersions,
  isNotFound,
  type ApiClient,
  type Informer,
  type ReconcileContext,
} from "../../runtime";
import { NODES, type Node } from "../native-resources";
import { labelPatch } from "./plan";
import type { Declarations } from "./declarations";

/** Brings the labels of one node to what is declared. */
export class NodeLabelReconciler {
  readonly #client: ApiClient;
  readonly #fieldManager: string;
  readonly #nodes: Informer<Node>;
  readonly #declarations: Declarations;
  /** The versions of nodes that we wrote and that the cache does not have yet. */
  readonly #written = new Map<string, string>();

  constructor(client: ApiClient, fieldManager: string, nodes: Informer<Node>, declarations: Declarations) {
    this.#client = client;
    this.#fieldManager = fieldManager;
    this.#nodes = nodes;
    this.#declarations = declarations;
  }

  async reconcile(key: string, { signal }: ReconcileContext): Promise<undefined> {
    const node = this.#nodes.get(key);
    const own = this.#written.get(key);
    // Our own write has not reached the cache yet and will wake us again; what is here now would be written twice.
    if (node !== undefined && own !== undefined && compareVersions(versionOf(node), own) < 0)
      return undefined;
    this.#written.delete(key);
    const labels = node === undefined ? undefined : labelPatch(node, this.#declarations.current);
    if (node === undefined || labels === undefined) return undefined;
    const { name, uid } = node.metadata;
    try {
      // The uid keeps a new machine with an old name from getting what was meant for the one before.
      const after = await this.#client.patch(
        NODES,
        { name },
        { metadata: { uid, labels } },
        { query: { fieldManager: this.#fieldManager }, signal },
      );
      this.#written.set(key, versionOf(after));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  }
}

function versionOf({ metadata: { resourceVersion = "" } }: Node): string {
  return resourceVersion;
}
