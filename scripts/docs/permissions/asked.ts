import { allActions, type PermissionGroup } from "./permission";

/** Actions that need no right, and those that nodes take with roles of their own. */
const NOT_THE_ENGINES = ["sts:GetCallerIdentity", "autoscaling:CompleteLifecycleAction"];

/** What was asked of AWS, by a ledger, that none of these groups names; each once. */
export function notNamed(
  asked: readonly { readonly service: string; readonly action: string }[],
  groups: readonly PermissionGroup[],
): string[] {
  const named = new Set([...groups.flatMap(allActions), ...NOT_THE_ENGINES]);
  const actions = asked.map(({ service, action }) => `${service}:${action}`);
  return [...new Set(actions)].filter((action) => !named.has(action)).sort();
}
