// Which rights of some rules others do not cover: the comparison that the API server makes before it lets somebody write a
// role or a binding (k8s.io/component-helpers/auth/rbac/validation), so that a refusal can be explained before it comes.

/** A rule as an AuthorizationRole or a ClusterRole has it. */
export interface Rule {
  apiGroups?: readonly string[] | undefined;
  resources?: readonly string[] | undefined;
  resourceNames?: readonly string[] | undefined;
  nonResourceURLs?: readonly string[] | undefined;
  verbs: readonly string[];
}

/** The smallest right: one verb on one resource, on one object of it, or on one path of the server. */
export interface Right {
  /** Which of the rules gives it. */
  rule: number;
  verb: string;
  /** Empty for a path. */
  group: string;
  /** With its subresource, or the path. */
  target: string;
  isPath: boolean;
  /** Undefined for all objects. */
  name?: string;
}

/** The rights that `rules` give and no single one of `others` covers. */
export function uncovered(rules: readonly Rule[], others: readonly Rule[]): Right[] {
  return rules
    .flatMap((rule, index) => rightsOf(rule, index))
    .filter((right) => !others.some((other) => covers(other, right)));
}

function rightsOf(rule: Rule, index: number): Right[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = rule;
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  return verbs.flatMap((verb): Right[] => [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((target) =>
        names.map((name) => ({
          rule: index,
          verb,
          group,
          target,
          isPath: false,
          ...(name === undefined ? {} : { name }),
        })),
      ),
    ),
    ...nonResourceURLs.map((target) => ({ rule: index, verb, group: "", target, isPath: true })),
  ]);
}

function covers(rule: Rule, { verb, group, target, isPath, name }: Right): boolean {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = rule;
  if (!includes(verbs, verb)) return false;
  if (isPath) return nonResourceURLs.some((pattern) => coversPath(pattern, target));
  return (
    includes(apiGroups, group) &&
    resources.some((pattern) => coversResource(pattern, target)) &&
    (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name)))
  );
}

function includes(words: readonly string[], word: string): boolean {
  return words.includes("*") || words.includes(word);
}

/** Whether a resource of a rule covers another: `*` all of them, and `*` before a slash that subresource of all. */
export function coversResource(pattern: string, resource: string): boolean {
  if (pattern === "*" || pattern === resource) return true;
  const [, sub] = resource.split("/");
  return sub !== undefined && pattern === `*/${sub}`;
}

function coversPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, "")));
}
