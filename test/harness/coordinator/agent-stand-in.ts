import { ORDER_ANNOTATION, orderOn, REPORT_ANNOTATION } from "../../../api/upgrade-annotations";
import { UPGRADES } from "../../../controllers/coordinator/kinds";
import { NODES } from "../../../controllers/coordinator/native-resources";
import { upgradeControlPlanePods } from "./control-plane-pods";
import { Informer, type ApiClient } from "../../../controllers/runtime";

/**
 * Stands in for the agents of all nodes: when the coordinator hands a node over, it gives the node's kubelet the wanted
 * version, or reports that the installer failed.
 */
export class AgentStandIn {
  /** Nodes whose installer fails. */
  readonly broken = new Set<string>();
  /** Nodes whose installer never ends. */
  readonly stuck = new Set<string>();
  /** Nodes whose pods of the control plane are brought to the version as well. */
  readonly servers = new Set<string>();
  /** Nodes that were upgraded, in order. */
  readonly upgraded: string[] = [];
  readonly #client: ApiClient;
  readonly #end = new AbortController();
  readonly #run: Promise<void>;
  readonly #taken = new Set<string>();

  constructor(client: ApiClient) {
    this.#client = client;
    const informer = new Informer(client, NODES);
    informer.onChange(({ after }) => {
      const order = orderOn(after);
      const node = after?.metadata.name ?? "";
      if (order?.what !== "run" || this.stuck.has(node)) return;
      const id = `${order.uid} ${node}`;
      if (this.#taken.has(id)) return;
      this.#taken.add(id);
      void this.#upgrade(order.name, order.uid, node).catch(() => {});
    });
    this.#run = informer.run(this.#end.signal);
  }

  stop(): Promise<void> {
    this.#end.abort();
    return this.#run;
  }

  async #upgrade(upgrade: string, uid: string, name: string): Promise<void> {
    const failed = this.broken.has(name);
    const report = failed
      ? { uid, attempt: 1, exitCode: 1, output: "no space left" }
      : { uid, attempt: 1, exitCode: 0, output: "ok" };
    const annotations = { [REPORT_ANNOTATION]: JSON.stringify(report) };
    await this.#client.patch(NODES, { name }, { metadata: { annotations } });
    if (failed) return;
    const { spec } = await this.#client.get(UPGRADES, { name: upgrade });
    this.upgraded.push(name);
    if (this.servers.has(name)) await upgradeControlPlanePods(this.#client, name, spec.version);
    const status = { nodeInfo: { kubeletVersion: spec.version } };
    await this.#client.patch(NODES, { name }, { status }, { subresource: "status" });
  }
}

/** What an upgrade leaves on a node, as a patch that takes it away. */
export const WITHOUT_UPGRADE = {
  spec: { unschedulable: null },
  metadata: {
    annotations: { "fleetwright.dev/cordoned-by": null, [ORDER_ANNOTATION]: null, [REPORT_ANNOTATION]: null },
  },
};
