// Explains what of a role goes beyond the ceiling. The API server refuses it in any case (docs/decisions/0030); its answer
// names the right, but neither the rule of ours, nor what is wrong with it, nor the way out.
import { CLUSTER_CEILING, NAMESPACE_CEILING } from "../../../api";
import { uncovered, type Right, type Rule } from "./coverage";
import { whyNot } from "./powers";

export type { Rule };

/** What roles may give: in single namespaces, and everywhere. */
export interface Ceiling {
  namespaces: readonly Rule[];
  cluster: readonly Rule[];
}

/** Why a rule goes beyond what the product allows. */
export interface Objection {
  /** Where in the spec. */
  path: string;
  /** What of the rule does it. */
  right: string;
  why: string | undefined;
  /** `cluster`: it may be given in single namespaces that are not protected. */
  where: "anywhere" | "cluster";
}

/** More are only counted: a role of everything would fill its own status. */
const SHOWN = 8;

/** What speaks against a role's rules. */
export function objectionsTo(rules: readonly Rule[], ceiling: Ceiling): Objection[] {
  const nowhere = uncovered(rules, ceiling.namespaces);
  const keys = new Set(nowhere.map((right) => JSON.stringify(right)));
  const notEverywhere = uncovered(rules, ceiling.cluster).filter((right) => !keys.has(JSON.stringify(right)));
  return [...described(nowhere, "anywhere"), ...described(notEverywhere, "cluster")].sort((a, b) =>
    a.path.localeCompare(b.path, "en", { numeric: true }),
  );
}

/** One objection for all verbs of a rule on the same resource. */
function described(rights: readonly Right[], where: Objection["where"]): Objection[] {
  const together = new Map<string, Right[]>();
  for (const right of rights) {
    const key = JSON.stringify([right.rule, right.group, right.target, whyNot(right)]);
    together.set(key, [...(together.get(key) ?? []), right]);
  }
  return [...together.values()].flatMap((alike) => {
    const [first] = alike;
    if (first === undefined) return [];
    const verbs = [...new Set(alike.map(({ verb }) => (verb === "*" ? "every verb" : verb)))].join(", ");
    return [
      { path: `spec.rules[${first.rule}]`, right: `${verbs} on ${nameOf(first)}`, why: whyNot(first), where },
    ];
  });
}

function nameOf({ group, target, isPath }: Right): string {
  if (isPath) return `the path ${target}`;
  if (group === "*") return target === "*" ? "every resource of every group" : `${target} of every group`;
  if (target === "*") return group === "" ? "every resource of the core group" : `every resource of ${group}`;
  return group === "" ? target : `${target}.${group}`;
}

/** One sentence with every objection and the way out. */
export function describeObjections(objections: readonly Objection[]): string {
  const list = objections
    .slice(0, SHOWN)
    .map(
      ({ path, right, why }) => `${path} allows ${right}, which ${why ?? "is not among what roles may give"}`,
    );
  const more = objections.length > SHOWN ? `; and ${objections.length - SHOWN} more` : "";
  const inNamespaces = objections.every(({ where }) => where === "cluster");
  const place = inNamespaces ? ", bind the role in single namespaces that are not protected" : "";
  const raise = inNamespaces ? "cluster" : "namespaces or .cluster";
  return `The role goes beyond what Fleetwright allows: ${list.join("; ")}${more}. Name the verbs and resources that are needed instead${place}, or have an administrator raise the ceiling by the setting fleetwright:roleCeiling.${raise}.`;
}

/** What is said while there is no ceiling in the cluster. */
export const NO_CEILING = `The ClusterRoles ${NAMESPACE_CEILING} and ${CLUSTER_CEILING}, which say what roles may give, are not both in the cluster; until they are, roles and bindings stay as they are: run pulumi up, or apply controllers/coordinator/role.yaml.`;
