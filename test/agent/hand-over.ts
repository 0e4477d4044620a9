import { NODES, UPGRADES } from "../../controllers/agent/kinds";
import { ORDER } from "../../controllers/handover";
import type { ApiClient } from "../../controllers/runtime";

/** Hands a node over to its agent as the coordinator does: first it says so in status, then on the Node. */
export async function handOver(client: ApiClient, name: string, node: string): Promise<void> {
  const status = { phase: "Running", nodes: [{ name: node, phase: "Upgrading" }] };
  const { metadata } = await client.patch(UPGRADES, { name }, { status }, { subresource: "status" });
  const annotations = { [ORDER]: JSON.stringify({ name, uid: metadata.uid, what: "run" }) };
  await client.patch(NODES, { name: node }, { metadata: { annotations } });
}
