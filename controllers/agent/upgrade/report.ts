import type { NodeUpgradeStatus } from "../../../api";
import { type ApiClient, isNotFound } from "../../runtime";
import { UPGRADES, type UpgradeObject } from "../kinds";

/** What an agent says of an upgrade on its node. */
export type Report = Pick<
  NodeUpgradeStatus,
  "attempt" | "exitCode" | "output" | "installer" | "installerMessage"
>;

const FIELDS = ["attempt", "exitCode", "output", "installer", "installerMessage"] as const;
/** One name for all agents: with one for each, the server has hundreds of managers to weigh at every write. */
const QUERY = { fieldManager: "fleetwright-agent" };

/**
 * Writes a node's report into its entry, unless it is there already. It touches no other field, and is refused if the
 * entry is no longer where it was seen.
 */
export async function tell(
  client: ApiClient,
  { metadata: { name, uid }, status }: UpgradeObject,
  node: string,
  report: Report,
  signal?: AbortSignal,
): Promise<void> {
  const index = (status?.nodes ?? []).findIndex((one) => one.name === node);
  const entry = status?.nodes?.[index];
  if (entry === undefined) return;
  const at = `/status/nodes/${index}`;
  const changes = FIELDS.filter((field) => entry[field] !== report[field]).map((field) =>
    report[field] === undefined
      ? { op: "remove", path: `${at}/${field}` }
      : { op: "add", path: `${at}/${field}`, value: report[field] },
  );
  if (changes.length === 0) return;
  const patch = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: `${at}/name`, value: node },
    ...changes,
  ];
  try {
    await client.patch(UPGRADES, { name }, patch, {
      type: "json",
      subresource: "status",
      query: QUERY,
      signal,
    });
  } catch (error) {
    // Nobody waits for the report any more.
    if (!isNotFound(error)) throw error;
  }
}
