// Sets labels of the node from the instance metadata service.
import { Applier, type ApiClient, type KubernetesObject } from "../../runtime";
import { NODES, type NodeObject } from "../kinds";
import { askMetadata } from "./metadata";
import { missingLabels } from "./plan";

const RETRY_MS = 300_000;

/** Sets the labels of the node that a cloud controller would set, from the instance metadata service. */
export class NodeLabels {
  readonly #applier: Applier;
  readonly #metadataUrl: string;
  /** The service's answer; asked once per process, because it does not change. */
  #metadata: Record<string, string> | undefined;
  #askedAt = -Infinity;

  /** Without a URL no label is ever set. */
  constructor(client: ApiClient, metadataUrl: string) {
    this.#applier = new Applier(client, "fleetwright-agent-labels");
    this.#metadataUrl = metadataUrl;
  }

  async apply(node: NodeObject, now: number, signal: AbortSignal): Promise<void> {
    const labels = node.metadata.labels ?? {};
    const taints = (node.spec?.taints ?? []).map(({ key }) => key);
    const missing = missingLabels(labels, taints);
    if (this.#metadataUrl === "" || missing.length === 0) return;
    if (this.#metadata === undefined) {
      if (now - this.#askedAt < RETRY_MS) return;
      this.#askedAt = now;
      this.#metadata = await askMetadata(this.#metadataUrl, signal);
    }
    const known = this.#metadata;
    if (!missing.some((key) => known[key] !== undefined)) return;
    // All labels, not only the new ones, and those that are there as they are: server-side apply removes what is left
    // out, and what stands there is not ours to change or remove.
    const ours = Object.entries(known).map(([key, value]) => [key, labels[key] ?? value] as const);
    const body: KubernetesObject = {
      metadata: { name: node.metadata.name, labels: Object.fromEntries(ours) },
    };
    await this.#applier.apply(NODES, body, { signal });
  }
}
