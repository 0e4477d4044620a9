// What the syncer may do in its member: what can be placed, the namespaces for it, and to look at nodes. Pure.
import { joinRules, type PolicyRule } from "../app/rules";
import { PLACEABLE } from "../workload";

const VERBS = ["get", "list", "watch", "create", "patch", "delete"];

/** The rules of the syncer's role in a member; `kinds` are of definitions, as `resource.group`. */
export function memberRules(kinds: readonly string[] = []): PolicyRule[] {
  return joinRules([
    ...PLACEABLE.map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: VERBS })),
    ...kinds.map((kind) => {
      const dot = kind.indexOf(".");
      return { apiGroups: [kind.slice(dot + 1)], resources: [kind.slice(0, dot)], verbs: VERBS };
    }),
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "create"] },
    { apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] },
  ]);
}
