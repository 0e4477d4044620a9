// Finds pods that draining would wait for in vain. A pure function.
import type { UpgradeObject } from "../kinds";
import { selects } from "../selector";
import type { Budget } from "./cluster-facts";
import { objectionTo, ruleFor, stays, type Pod } from "./drain";

/** The pods of some nodes that cannot be evicted as the drain is declared, each with its reason and the fix. */
export function blockingPods(
  pods: readonly Pod[],
  { drain }: UpgradeObject["spec"],
  budgets: readonly Budget[],
  labelsOf: (namespace: string) => Readonly<Record<string, string>>,
): string[] {
  return pods.flatMap((pod) => {
    const { namespace = "", name, deletionTimestamp } = pod.metadata;
    if (stays(pod) || deletionTimestamp !== undefined) return [];
    if ((ruleFor(pod, drain, labelsOf)?.behavior ?? "Drain") !== "Drain") return [];
    const reason = objectionTo(pod, drain) ?? severalBudgets(pod, budgets);
    return reason === undefined ? [] : [`${namespace}/${name}, ${reason}`];
  });
}

/** The API server answers 500 to the eviction of such a pod, whatever the budgets say. */
function severalBudgets({ metadata }: Pod, budgets: readonly Budget[]): string | undefined {
  const names = budgets
    .filter(({ metadata: { namespace }, spec }) => {
      const { selector } = spec ?? {};
      return namespace === metadata.namespace && selector !== undefined && selects(selector, metadata.labels);
    })
    .map((budget) => budget.metadata.name);
  return names.length < 2
    ? undefined
    : `which is under ${names.length} PodDisruptionBudgets (${names.join(", ")}), so that the API server refuses its eviction: leave it one`;
}
