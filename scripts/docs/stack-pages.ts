import { readSource } from "../../policy/report/source";
import type { Block } from "./block";
import { costsOf, costTable } from "./stack-costs";
import { diagramOf } from "./stack-diagram";
import { componentGraph, readGraph } from "./stack-graph";

/** What is shown of a stack, out of what `pulumi preview --json` or `pulumi stack export` wrote of it. */
export interface StackView {
  readonly stack: string;
  readonly costs: string;
  readonly diagram: string;
}

/** Makes the view of a stack; undefined where what was given is neither a preview nor a state. */
export function viewOf(document: unknown): StackView | undefined {
  const source = readSource(document);
  if (source === undefined) return undefined;
  return {
    stack: source.stack,
    costs: costTable(costsOf(source.byInputs)),
    diagram: diagramOf(componentGraph(readGraph(document))),
  };
}

/** The parts of pages that show a stack; most stacks stand in none. */
export function blocksOf({ stack, costs, diagram }: StackView): Block[] {
  const cost = { page: "how-to/aws.md", name: `costs of ${stack}`, text: costs };
  switch (stack) {
    case "prod":
      return [cost];
    case "staging":
      return [cost, { page: "architecture.md", name: "components of staging", text: diagram }];
    default:
      return [];
  }
}
