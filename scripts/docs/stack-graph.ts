import { isObject, listAt, textAt } from "../../lib/json";

/** A resource of a stack, as far as its place in the graph goes. */
export interface GraphResource {
  readonly urn: string;
  readonly type: string;
  readonly isComponent: boolean;
  readonly parent: string | undefined;
  /** URNs of what has to be there before it, its provider included. */
  readonly needs: readonly string[];
}

/** A component with all others of its type at the same place in the tree. */
export interface Box {
  /** The types from the root down, such as `Cluster/RkeCluster/Server`; what the program declares itself is by itself. */
  readonly path: string;
  /** How many components it stands for; none for resources outside of components. */
  readonly count: number;
  /** How many resources of each type the components have themselves, without those of their child components. */
  readonly resources: ReadonlyMap<string, number>;
}

/** The components of a stack, and which of them need which. */
export interface ComponentGraph {
  readonly boxes: readonly Box[];
  /** From what needs to what is needed, by path; those that follow from others are left out. */
  readonly needs: readonly (readonly [from: string, to: string])[];
}

/** Reads what `pulumi preview --json` or `pulumi stack export` wrote. */
export function readGraph(document: unknown): GraphResource[] {
  const steps = listAt(document, "steps").map((step) => (isObject(step) ? step.newState : undefined));
  const states = steps.length > 0 ? steps : listAt(document, "deployment", "resources");
  const byUrn = new Map(
    states.filter(isObject).flatMap((state): [string, GraphResource][] => {
      const [urn, type] = [textAt(state, "urn"), textAt(state, "type")];
      if (urn === undefined || type === undefined || state.delete === true) return [];
      const texts = listAt(state, "dependencies").filter((each) => typeof each === "string");
      // A reference to a provider is its URN and its id.
      const provider = textAt(state, "provider")?.split("::").slice(0, 4).join("::");
      return [
        [
          urn,
          {
            urn,
            type,
            isComponent: state.custom !== true,
            parent: textAt(state, "parent"),
            needs: provider === undefined ? texts : [...texts, provider],
          },
        ],
      ];
    }),
  );
  return [...byUrn.values()];
}

/** Puts the resources of a stack into boxes, one for each place of a component in the tree. */
export function componentGraph(resources: readonly GraphResource[]): ComponentGraph {
  const shown = resources.filter(({ urn, type }) => !isEnginesOwn(urn, type));
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const pathOf = (resource: GraphResource): string => {
    const parent = resource.parent === undefined ? undefined : byUrn.get(resource.parent);
    const above = parent === undefined ? "" : pathOf(parent);
    if (above === "" && resource.type !== ROOT) return shortType(resource.type);
    return resource.isComponent && above !== "" ? `${above}/${shortType(resource.type)}` : above;
  };
  const paths = new Map(shown.map((resource) => [resource.urn, pathOf(resource)]));
  const boxes = [...new Set(paths.values())].sort().map((path) => {
    const inside = shown.filter(({ urn }) => paths.get(urn) === path);
    const counts = new Map<string, number>();
    for (const { type, isComponent } of inside)
      if (!isComponent) counts.set(shortType(type), (counts.get(shortType(type)) ?? 0) + 1);
    return { path, count: inside.filter(({ isComponent }) => isComponent).length, resources: counts };
  });
  const edges = shown.flatMap((resource) =>
    resource.needs.flatMap((urn) => {
      const [from, to] = [paths.get(resource.urn), paths.get(urn)];
      return from === undefined || to === undefined || from === to ? [] : [`${from}${TO}${to}`];
    }),
  );
  return { boxes, needs: withoutDetours([...new Set(edges)].sort()) };
}

/** Between the ends of an arrow; no type has it. */
const TO = "\t";
const ROOT = "pulumi:pulumi:Stack";

/** The stack itself, and providers that the program did not ask for. */
function isEnginesOwn(urn: string, type: string): boolean {
  return type === ROOT || (type.startsWith("pulumi:providers:") && /::default(_|$)/.test(urn));
}

/** `aws:ec2/vpc:Vpc` is a Vpc, and a provider is called after its package. */
function shortType(type: string): string {
  const name = type.split(":").at(-1) ?? type;
  return type.startsWith("pulumi:providers:") ? `Provider of ${name}` : name;
}

/** Leaves out what follows from the rest: if A needs B and B needs C, that A needs C says nothing more. */
function withoutDetours(edges: readonly string[]): (readonly [string, string])[] {
  const left = new Set(edges);
  for (const edge of edges) {
    const [from = "", to = ""] = edge.split(TO);
    left.delete(edge);
    if (!reaches(left, from, to)) left.add(edge);
  }
  return [...left].sort().map((edge) => {
    const [from = "", to = ""] = edge.split(TO);
    return [from, to] as const;
  });
}

function reaches(edges: ReadonlySet<string>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const place of seen)
    for (const edge of edges) {
      const [start = "", end = ""] = edge.split(TO);
      if (start === place) seen.add(end);
    }
  return seen.has(to) && from !== to;
}
