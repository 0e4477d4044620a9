import type { Box, ComponentGraph } from "./stack-graph";

/** How many characters of a list of types stand in one line of a box. */
const LINE = 44;

/** Draws the components of a stack as a flowchart of Mermaid: frames hold frames and boxes, arrows go to what is needed. */
export function diagramOf(graph: ComponentGraph): string {
  const { boxes, needs } = withoutTwins(graph);
  const inside = (path: string): Box[] => boxes.filter((box) => parentOf(box.path) === path);
  const draw = (box: Box, indent: string): string[] => {
    const children = inside(box.path);
    if (children.length === 0) return [`${indent}${idOf(box.path)}["${titleOf(box)}${contentsOf(box)}"]`];
    return [
      `${indent}subgraph ${idOf(box.path)}_frame["${titleOf(box)}"]`,
      ...(box.resources.size === 0 ? [] : [`${indent}  ${idOf(box.path)}["its own${contentsOf(box)}"]`]),
      ...children.flatMap((child) => draw(child, `${indent}  `)),
      `${indent}end`,
    ];
  };
  // Of a component that is a frame and nothing else there is no box for an arrow.
  const isDrawn = (path: string): boolean =>
    boxes.some((box) => box.path === path && (box.resources.size > 0 || inside(path).length === 0));
  return [
    "```mermaid",
    "flowchart TD",
    ...inside("").flatMap((box) => draw(box, "  ")),
    ...needs.filter((ends) => ends.every(isDrawn)).map(([from, to]) => `  ${idOf(from)} --> ${idOf(to)}`),
    "```",
  ].join("\n");
}

/** Boxes with nothing in them that need the same become one, which has all their names. */
function withoutTwins({ boxes, needs }: ComponentGraph): ComponentGraph {
  const needed = new Set(needs.map(([, to]) => to));
  const hasChildren = (path: string): boolean => boxes.some((box) => parentOf(box.path) === path);
  const keyOf = ({ path, resources }: Box): string =>
    resources.size > 0 || needed.has(path) || hasChildren(path)
      ? path
      : JSON.stringify([parentOf(path), needs.filter(([from]) => from === path).map(([, to]) => to)]);
  const groups = new Map<string, Box[]>();
  for (const box of boxes) groups.set(keyOf(box), [...(groups.get(keyOf(box)) ?? []), box]);
  const names = new Map<string, string>();
  const merged = [...groups.values()].flatMap((twins) => {
    const [first] = twins;
    if (first === undefined) return [];
    const path = [first.path, ...twins.slice(1).map((twin) => nameOf(twin.path))].join(", ");
    for (const twin of twins) names.set(twin.path, path);
    return [{ ...first, path }];
  });
  const renamed = needs.map(([from, to]) => [names.get(from) ?? from, names.get(to) ?? to] as const);
  const unique = new Map(renamed.map((ends) => [ends.join(" "), ends]));
  return { boxes: merged, needs: [...unique.values()] };
}

function parentOf(path: string): string {
  return path.split("/").slice(0, -1).join("/");
}

function nameOf(path: string): string {
  return path.split("/").at(-1) ?? path;
}

/** Mermaid has words of its own, such as `end`; none of them has this beginning. */
function idOf(path: string): string {
  return `c_${path.replaceAll(/\W+/g, "_")}`;
}

function titleOf({ path, count }: Box): string {
  return count === 0 ? nameOf(path) : `<b>${nameOf(path)}</b>${count > 1 ? ` × ${count}` : ""}`;
}

function contentsOf({ count, resources }: Box): string {
  if (count === 0) return "<br/>of the program itself";
  if (resources.size === 0) return "<br/>nothing yet";
  const words = [...resources].sort().map(([type, many]) => (many === 1 ? type : `${many} ${type}`));
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || `${last}, ${word}`.length > LINE) lines.push(word);
    else lines[lines.length - 1] = `${last}, ${word}`;
  }
  return `<br/>${lines.join(",<br/>")}`;
}
