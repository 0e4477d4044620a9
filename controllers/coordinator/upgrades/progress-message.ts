// What people read of an upgrade's progress in its Ready condition.
import type { NodeUpgradeStatus } from "../../../api";
import type { NodeCounts } from "./counts";
import { isInProgress } from "./node-plan";

/** How far an upgrade is, in parts of a sentence. */
export function progressMessage(
  entries: readonly NodeUpgradeStatus[],
  { done, unready }: NodeCounts,
  total: number,
): string[] {
  const of = (
    chosen: (entry: NodeUpgradeStatus) => boolean,
    words: (entry: NodeUpgradeStatus) => string,
  ): string => firstFew(entries.filter(chosen).map(words));
  const working = of(isInProgress, ({ name, phase }) => `${name} (${phase})`);
  const failed = of(
    ({ phase }) => phase === "Failed",
    ({ name, reason = "" }) => `${name} (${reason})`,
  );
  const gone = of(
    ({ phase }) => phase === "Skipped",
    ({ name }) => name,
  );
  return [
    `${done} of ${total} nodes are at the version`,
    ...(working === "" ? [] : [`in progress: ${working}`]),
    ...(failed === "" ? [] : [`failed: ${failed}`]),
    ...(gone === "" ? [] : [`went during their upgrade: ${gone}`]),
    ...(unready.length === 0
      ? []
      : [
          `not Ready, and so counted as unavailable: ${firstFew(unready.map(({ metadata }) => metadata.name))}`,
        ]),
  ];
}

/** The first few of a list, and how many more there are. */
export function firstFew(words: readonly string[]): string {
  return words.length > 5 ? `${words.slice(0, 5).join(", ")} and ${words.length - 5} more` : words.join(", ");
}
