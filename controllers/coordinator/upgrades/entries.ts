// The entries of an upgrade's status, as this release and earlier ones wrote them.
import type { NodeUpgradeStatus } from "../../../api";
import type { UpgradeObject } from "../kinds";

/** Nodes that went after their agent had its order are remembered, the last few of them. */
const MAX_SKIPPED = 8;

/**
 * The nodes that an upgrade has in work, that failed in it, and that went meanwhile. An earlier release had an entry for
 * every node: what the Node itself says as well is left out, and its "Cordoning" was what "Draining" begins with.
 */
export function entriesOf({ status }: Pick<UpgradeObject, "status">): NodeUpgradeStatus[] {
  const entries = (status?.nodes ?? []).flatMap((entry): NodeUpgradeStatus[] => {
    const { phase, attempt = 0, startedAt } = entry;
    if (phase === "Pending" || phase === "Done") return [];
    if (phase === "Skipped") return attempt > 0 || startedAt !== undefined ? [entry] : [];
    return [phase === "Cordoning" ? { ...entry, phase: "Draining" } : entry];
  });
  const skipped = entries.filter(({ phase }) => phase === "Skipped");
  const forgotten = new Set(skipped.slice(0, Math.max(0, skipped.length - MAX_SKIPPED)));
  return entries.filter((entry) => !forgotten.has(entry));
}
