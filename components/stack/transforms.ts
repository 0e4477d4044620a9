import type * as pulumi from "@pulumi/pulumi";
import { isObject } from "../../lib/json";
import { found, keyed, type Problem } from "../problem";
import { unknownKey } from "../schema";
import type { ClusterArgs } from "../cluster/args";

/** What `transforms.ts` beside the program may change of what the program declares. */
export interface StackTransforms {
  /** Overrides for the cluster's children: `network`, `bastion`, and `rke` or `hosted`. Each is some properties, or a function. */
  cluster?: NonNullable<ClusterArgs["transform"]>;
  /** Functions that get every resource of the stack, in this order, before it is declared. */
  resources?: pulumi.ResourceTransform[];
}

/** Every part of a cluster that the types name; one that is missing here does not compile. */
const CLUSTER = Object.keys({
  network: true,
  bastion: true,
  rke: true,
  hosted: true,
} satisfies Record<keyof NonNullable<ClusterArgs["transform"]>, true>);

/** What is wrong with them, as far as the types, which nothing checks when the program runs, would have said it. */
export function transformProblems(given: unknown): Problem[] {
  if (!isObject(given)) return [{ path: "transforms.ts", message: found(given, "export default an object") }];
  const { cluster, resources } = given;
  return [
    ...unknownKeys("", given, ["cluster", "resources"]),
    ...(cluster === undefined ? [] : clusterProblems(cluster)),
    ...(resources === undefined || (Array.isArray(resources) && resources.every(isFunction))
      ? []
      : [{ path: "resources", message: "use a list of functions" }]),
  ];
}

function clusterProblems(cluster: unknown): Problem[] {
  if (!isObject(cluster)) return [{ path: "cluster", message: found(cluster, "use keys and values") }];
  return [
    ...unknownKeys("cluster", cluster, CLUSTER),
    ...Object.entries(cluster).flatMap(([part, children]) =>
      isObject(children)
        ? Object.entries(children).flatMap(([child, transform]) =>
            isObject(transform) || isFunction(transform) ? [] : [misshapen(keyed(`cluster.${part}`, child))],
          )
        : [misshapen(`cluster.${part}`)],
    ),
  ];
}

function misshapen(path: string): Problem {
  return { path, message: "use properties, or a function of arguments and options" };
}

function unknownKeys(path: string, value: object, known: readonly string[]): Problem[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: keyed(path, key), message: unknownKey(key, known) }));
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
