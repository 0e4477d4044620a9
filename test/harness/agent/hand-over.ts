import type { NodeUpgradeStatus } from "../../../api";
import { NODES, UPGRADES } from "../../../controllers/agent/kinds";
import { ORDER_ANNOTATION, type UpgradeOrder } from "../../../api/upgrade-annotations";
import type { ApiClient } from "../../../controllers/runtime";

/** Tells a node's agent what to do for an upgrade. */
export async function orderAgent(
  client: ApiClient,
  name: string,
  node: string,
  what: UpgradeOrder["what"],
): Promise<void> {
  const { uid } = (await client.get(UPGRADES, { name })).metadata;
  const annotations = { [ORDER_ANNOTATION]: JSON.stringify({ name, uid, what }) };
  await client.patch(NODES, { name: node }, { metadata: { annotations } });
}

/** Hands a node over to its agent as the coordinator does: first it says so in status, then on the Node. */
export async function handOver(
  client: ApiClient,
  name: string,
  node: string,
  { what = "run", ...entry }: Partial<NodeUpgradeStatus> & Partial<Pick<UpgradeOrder, "what">> = {},
): Promise<void> {
  const status = { phase: "Running", nodes: [{ name: node, phase: "Upgrading", ...entry }] };
  await client.patch(UPGRADES, { name }, { status }, { subresource: "status" });
  await orderAgent(client, name, node, what);
}
