// Decides what a Plugin needs next: a new revision, fewer records, another look. Pure functions.
import { digestOf, type Desired, type Revision } from "./revision";
import type { Findings } from "./status";

/** How often Plugins are reconciled without a change. */
export interface Pace {
  /** When a Plugin is ready: drift is found and repaired then. @default 60000 */
  restMs?: number;
  /** When a person has to act first. @default 15000 */
  blockedMs?: number;
  /** While something is in progress. @default 1000 */
  busyMs?: number;
}

/** When to reconcile a Plugin again. */
export function requeueDelay({ problem, paused }: Findings, ready: boolean, pace: Required<Pace>): number {
  const { restMs, blockedMs, busyMs } = pace;
  if (paused || ready) return restMs;
  if (problem === undefined) return busyMs;
  return problem.transient === true ? Math.min(5 * busyMs, blockedMs) : blockedMs;
}

/** Whether a revision already is what is wanted. */
export function isInstalled(current: Revision, desired: Desired): boolean {
  return (
    current.version === desired.version &&
    current.namespace === desired.namespace &&
    current.digest === digestOf(desired.objects)
  );
}

/** The revisions to delete: all but the newest, the newest that succeeded, and `limit` before them. */
export function expiredRevisions(revisions: readonly Revision[], limit: number): Revision[] {
  const newest = revisions.at(-1);
  const good = revisions.findLast(({ progress }) => progress.outcome === "Succeeded");
  return revisions
    .slice(0, Math.max(0, revisions.length - 1 - limit))
    .filter((one) => one !== newest && one !== good);
}
