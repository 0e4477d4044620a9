// Counts the nodes of an upgrade. What is done is read from the Nodes, so that status need not name them.
import type { NodeUpgradeStatus } from "../../../api";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { selects } from "../selector";
import { isInProgress } from "./node-plan";
import { isReady, kubeletVersion } from "./versions";

/** The nodes of an upgrade, sorted by what is to be done with them. */
export interface NodeCounts {
  /** At the version, and not in work any more. */
  done: number;
  /** Those that have not been begun. */
  waiting: Node[];
  /** Those that are not Ready, other than those in work. */
  unready: Node[];
  /** Entries of nodes that went after they were begun. */
  skipped: number;
}

/** Sorts all nodes, given the entries of those that are in work, failed or went. */
export function countNodes(
  { spec }: UpgradeObject,
  entries: readonly NodeUpgradeStatus[],
  nodes: ReadonlyMap<string, Node>,
): NodeCounts {
  const known = new Map(entries.map((entry) => [entry.name, entry]));
  const counts: NodeCounts = { done: 0, waiting: [], unready: [], skipped: 0 };
  for (const node of nodes.values()) {
    if (!selects(spec.nodeSelector, node.metadata.labels)) continue;
    const entry = known.get(node.metadata.name);
    if (entry === undefined && kubeletVersion(node) === spec.version) counts.done += 1;
    else if (entry === undefined) counts.waiting.push(node);
    if ((entry === undefined || !isInProgress(entry)) && !isReady(node)) counts.unready.push(node);
  }
  counts.skipped = entries.filter(({ phase }) => phase === "Skipped").length;
  return counts;
}

/** The nodes that an upgrade is about. */
export function selectedNodes(spec: UpgradeObject["spec"], nodes: readonly Node[]): Node[] {
  return nodes.filter(({ metadata }) => selects(spec.nodeSelector, metadata.labels));
}
