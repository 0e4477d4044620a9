// What clusters have in common, whatever runs them: name, version, pools, access to the API. Shape, defaults and checks.
import { z } from "zod";
import { found, type Problem } from "../problem";
import { input, repeated, type ShapeOf, textMap } from "../schema";
import { cidr } from "./network/schema";

export { openRangeProblems } from "./network/open-ranges";
import type { ApiArgs, PoolArgs } from "./rke/args";
import type { Taint } from "./rke/rke2/settings";

const NAME = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
const POOL_NAME_LENGTH = 20;

/**
 * The longest name of a cluster. A target group's name has 32 characters at most, of which the engine takes eight and
 * what it is for up to five (`-join`); EKS makes balancers of its own.
 */
export const MAX_NAME_LENGTH = { selfManaged: 19, hosted: 20 } as const;

/** AWS keeps names of load balancers and security groups that begin so for itself. */
const RESERVED_NAME = /^(internal|sg)(-|$)/;

const nameFix = (length: number): string =>
  `use up to ${length} lowercase letters, digits and hyphens, starting with a letter`;

/** What is wrong with the name of a cluster. */
export function nameProblems(name: string, kind: keyof typeof MAX_NAME_LENGTH): Problem[] {
  const path = "name";
  const most = MAX_NAME_LENGTH[kind];
  if (!isName(name, most)) return [{ path, message: found(name, nameFix(most)) }];
  return kind === "selfManaged" && RESERVED_NAME.test(name)
    ? [
        {
          path,
          message: found(name, 'AWS refuses names that begin with "internal-" or "sg-"; use another one'),
        },
      ]
    : [];
}

function isName(name: string, most: number): boolean {
  return NAME.test(name) && name.length <= most;
}

const taint = z.strictObject({
  key: z.string(),
  value: z.string().default(""),
  effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
} satisfies ShapeOf<Taint>);

const isReserved = (key: string): boolean =>
  key.startsWith("fleetwright.dev/") || /(^|\.)(kubernetes|k8s)\.io\//.test(key);

const pool = z.strictObject({
  name: z.string().refine((name) => isName(name, POOL_NAME_LENGTH), nameFix(POOL_NAME_LENGTH)),
  count: z.int().min(0).default(2),
  min: z.int().min(0).optional(),
  max: z.int().min(0).optional(),
  instanceType: z.string().default("m7i.large"),
  imageId: input().optional(),
  rootVolumeSize: z.int().min(1).default(40),
  labels: textMap()
    .superRefine((labels, context) => {
      for (const key of Object.keys(labels).filter(isReserved))
        context.addIssue({
          code: "custom",
          path: [key],
          message: "labels of fleetwright.dev and kubernetes.io are reserved; use another key",
        });
    })
    .default({}),
  taints: z.array(taint).default([]),
} satisfies ShapeOf<PoolArgs>);

/** Pools with all defaults: without an autoscaler, `min` and `max` are the count. */
export const pools = z
  .array(pool)
  .transform((list) =>
    list.map((each) => ({ ...each, min: each.min ?? each.count, max: each.max ?? each.count })),
  )
  .prefault([]);

/** A pool with all defaults. */
export type PoolSettings = z.output<typeof pools>[number];

/** What is wrong with pools beyond their single settings. */
export function poolProblems(list: readonly PoolSettings[]): Problem[] {
  return [
    ...list.flatMap(({ name, min, count, max }, index) => [
      ...(min <= count && count <= max
        ? []
        : [
            {
              path: `pools[${index}]`,
              message: `found min ${min}, count ${count}, max ${max}: use min ≤ count ≤ max`,
            },
          ]),
      ...(name === "servers"
        ? [
            {
              path: `pools[${index}].name`,
              message: found(name, "this is the pool of the servers; use another name"),
            },
          ]
        : []),
    ]),
    ...repeated(
      "pools",
      list.map(({ name }) => name),
    ),
  ];
}

/** How the API is reached. */
export const api = z
  .strictObject({
    cidrs: z.array(cidr("203.0.113.0/24")).optional(),
    isPublic: z.boolean().default(false),
    names: z.array(z.string()).default([]),
    address: input().optional(),
  } satisfies ShapeOf<ApiArgs>)
  .prefault({});
