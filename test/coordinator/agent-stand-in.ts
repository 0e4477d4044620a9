import { tell } from "../../controllers/agent/upgrade";
import { UPGRADES, type UpgradeObject } from "../../controllers/coordinator/kinds";
import { NODES } from "../../controllers/coordinator/native";
import { Informer, type ApiClient } from "../../controllers/runtime";

/**
 * Stands in for the agents of all nodes: when the coordinator hands a node over, it gives the node's kubelet the wanted
 * version, or reports that the installer failed.
 */
export class AgentStandIn {
  /** Nodes whose installer fails. */
  readonly broken = new Set<string>();
  /** Nodes whose installer never ends. */
  readonly stuck = new Set<string>();
  /** Nodes that were upgraded, in order. */
  readonly upgraded: string[] = [];
  readonly #client: ApiClient;
  readonly #end = new AbortController();
  readonly #run: Promise<void>;
  readonly #taken = new Set<string>();

  constructor(client: ApiClient) {
    this.#client = client;
    const informer = new Informer(client, UPGRADES);
    informer.onChange(({ after }) => {
      for (const { name, phase } of after?.status?.nodes ?? []) {
        const id = `${after?.metadata.uid ?? ""} ${name}`;
        if (phase !== "Upgrading" || this.#taken.has(id) || this.stuck.has(name) || after === undefined)
          continue;
        this.#taken.add(id);
        void this.#upgrade(after, name);
      }
    });
    this.#run = informer.run(this.#end.signal);
  }

  stop(): Promise<void> {
    this.#end.abort();
    return this.#run;
  }

  async #upgrade(upgrade: UpgradeObject, node: string): Promise<void> {
    const failed = this.broken.has(node);
    if (!failed) {
      this.upgraded.push(node);
      const status = { nodeInfo: { kubeletVersion: upgrade.spec.version } };
      await this.#client.patch(NODES, { name: node }, { status }, { subresource: "status" }).catch(() => {});
    }
    const report = failed
      ? { attempt: 1, exitCode: 1, output: "no space left" }
      : { attempt: 1, exitCode: 0, output: "ok" };
    await tell(this.#client, upgrade, node, report).catch(() => {});
  }
}
