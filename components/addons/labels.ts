import * as pulumi from "@pulumi/pulumi";
import { type Problem, refuseProblems } from "../cluster/problem";
import {
  declare,
  specProblems,
  type Declaration,
  type DeclarationTransform,
  type Labels,
} from "./declaration";

/** The arguments of `NodeLabels`. */
export interface NodeLabelsArgs {
  /** Labels of every node, by the key after `cluster.fleetwright.dev/`. @default {} */
  cluster?: Labels;
  /** Labels of a pool's nodes, by the pool and then by the key after `nodepool.fleetwright.dev/`. @default {} */
  pools?: Record<string, Labels>;
  /** Labels for every object that declares one. @default {} */
  labels?: Labels;
}

/** The options of `NodeLabels`. */
export interface NodeLabelsOptions extends pulumi.ComponentResourceOptions {
  transform?: { label?: DeclarationTransform };
}

/**
 * Labels on nodes.
 *
 * @example
 * new NodeLabels("labels", { cluster: { environment: "staging" }, pools: { web: { disk: "nvme" } } });
 */
export class NodeLabels extends pulumi.ComponentResource {
  constructor(name: string, args: NodeLabelsArgs, opts: NodeLabelsOptions = {}) {
    refuseProblems("The labels of nodes", labelProblems(args), opts.parent);
    super("fleetwright:index:NodeLabels", name, args, opts);
    for (const declaration of declarations(args)) {
      declare(this, `${name}-${declaration.name}`, declaration, args.labels, opts.transform?.label);
    }
    this.registerOutputs({});
  }
}

/** All that is wrong with labels. */
export function labelProblems(args: NodeLabelsArgs): Problem[] {
  return declarations(args).flatMap(({ kind, where, spec }) => specProblems(kind, where, spec));
}

function declarations({ cluster = {}, pools = {} }: NodeLabelsArgs): (Declaration & { where: string })[] {
  return [
    ...Object.entries(cluster).map(([key, value]) => ({
      kind: "ClusterLabel" as const,
      name: objectName(key),
      where: `labels.cluster[${JSON.stringify(key)}]`,
      spec: { key, value },
    })),
    ...Object.entries(pools).flatMap(([pool, labels]) =>
      Object.entries(labels).map(([key, value]) => ({
        kind: "NodePoolLabel" as const,
        name: `${objectName(pool)}.${objectName(key)}`,
        where: `labels.pools.${pool}[${JSON.stringify(key)}]`,
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
