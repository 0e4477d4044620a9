import * as pulumi from "@pulumi/pulumi";
import { assertNoProblems } from "../problem";
import { withoutTransform } from "../transform";
import type { NodeLabelSets } from "./args";
import { declare, type Declaration, type DeclarationTransform, type Labels } from "./declaration";
import { nodeLabelProblems } from "./problems";

/** The arguments of `NodeLabels`. */
export interface NodeLabelsArgs extends NodeLabelSets {
  /** Labels for every object that declares one. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
  transform?: { label?: DeclarationTransform };
}

/**
 * Labels on nodes.
 *
 * @example
 * new NodeLabels("labels", { cluster: { environment: "staging" }, pools: { web: { disk: "nvme" } } });
 */
export class NodeLabels extends pulumi.ComponentResource {
  constructor(name: string, args: NodeLabelsArgs, opts: pulumi.ComponentResourceOptions = {}) {
    assertNoProblems("node labels", nodeLabelProblems(args), opts.parent);
    super("fleetwright:index:NodeLabels", name, withoutTransform(args), opts);
    for (const declaration of declarations(args)) {
      declare(this, `${name}-${declaration.name}`, declaration, args.labels, args.transform?.label);
    }
    this.registerOutputs({});
  }
}

function declarations({ cluster = {}, pools = {} }: NodeLabelsArgs): Declaration[] {
  return [
    ...Object.entries(cluster).map(([key, value]) => ({
      kind: "ClusterLabel" as const,
      name: objectName(key),
      spec: { key, value },
    })),
    ...Object.entries(pools).flatMap(([pool, labels]) =>
      Object.entries(labels).map(([key, value]) => ({
        kind: "NodePoolLabel" as const,
        name: `${objectName(pool)}.${objectName(key)}`,
        spec: { pool, key, value },
      })),
    ),
  ];
}

/** A label's key as the name of an object: the same, but for letters and signs that names cannot have. */
function objectName(key: string): string {
  // Two keys that differ only in these must not get one name.
  return key.replaceAll(/[^a-z0-9-]/g, (found) => `-${found.codePointAt(0)?.toString(16) ?? ""}-`);
}
