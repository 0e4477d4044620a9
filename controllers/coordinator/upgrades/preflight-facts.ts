// Gathers what preflight decides on.
import type { ApiClient } from "../../runtime";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { blockingPods } from "./blocking-pods";
import {
  allBudgets,
  allPods,
  newestSnapshot,
  nodesWithAgent,
  serverVersion,
  stackRecord,
  type Budget,
} from "./cluster-facts";
import { selectedNodes } from "./counts";
import type { PreflightFacts } from "./preflight";
import { kubeletVersion } from "./versions";

/** Where and when the facts are gathered. */
export interface PreflightContext {
  client: ApiClient;
  /** The namespace of the product. */
  namespace: string;
  labelsOf: (namespace: string) => Readonly<Record<string, string>>;
  now: number;
  signal: AbortSignal;
}

/** Everything that preflight looks at, read now. What is left out by the spec is not asked for. */
export async function preflightFacts(
  { spec }: UpgradeObject,
  nodes: readonly Node[],
  { client, namespace, labelsOf, now, signal }: PreflightContext,
): Promise<PreflightFacts> {
  const selected = selectedNodes(spec, nodes);
  const skips = (check: (typeof spec.preflight.skip)[number]): boolean => spec.preflight.skip.includes(check);
  const [version, snapshot, budgets, agents, stack] = await Promise.all([
    serverVersion(client, signal),
    newestSnapshot(client, signal),
    allBudgets(client, signal),
    skips("Agents") ? undefined : nodesWithAgent(client, namespace, signal),
    stackRecord(client, namespace, signal),
  ]);
  const drained = new Set(
    selected.filter((node) => kubeletVersion(node) !== spec.version).map(({ metadata }) => metadata.name),
  );
  const blocked: string[] = [];
  // Who goes on after the drain's time whatever is left has said so.
  if (!skips("BlockingPods") && spec.drain.onTimeout === "Fail")
    for await (const pods of allPods(client, signal)) {
      const there = pods.filter(({ spec: { nodeName = "" } = {} }) => drained.has(nodeName));
      blocked.push(...blockingPods(there, spec, budgets, labelsOf));
    }
  return {
    nodes,
    selected,
    serverVersion: version,
    newestSnapshot: snapshot,
    blockingBudgets: budgets.filter(isExhausted).map(nameOf),
    blockingPods: blocked,
    agents,
    stack,
    now,
  };
}

function isExhausted({ status }: Budget): boolean {
  return status?.disruptionsAllowed === 0 && (status.expectedPods ?? 0) > 0;
}

function nameOf({ metadata }: Budget): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
