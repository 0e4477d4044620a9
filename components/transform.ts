import type * as pulumi from "@pulumi/pulumi";

/**
 * Overrides for a child of a component: properties that replace ours, or a function that changes the arguments and
 * options it is given. Components take them as `args.transform`, by the name of the child.
 *
 * @example { instance: { monitoring: true } }
 * @example { instance: (args, opts) => { opts.ignoreChanges = ["ami", "tags"]; } }
 */
export type Transform<Args> =
  Partial<Args> | ((args: Args, opts: pulumi.CustomResourceOptions, name: string) => void);

/** The name, arguments and options of a child after its transform. */
export function transformed<Args extends object>(
  transform: Transform<Args> | undefined,
  name: string,
  args: Args,
  opts: pulumi.CustomResourceOptions,
): [string, Args, pulumi.CustomResourceOptions] {
  if (transform === undefined) return [name, args, opts];
  if (typeof transform !== "function") return [name, { ...args, ...transform }, opts];
  const [own, options] = [{ ...args }, { ...opts }];
  transform(own, options, name);
  return [name, own, options];
}

/** Arguments without their transforms, which are functions: as they stand in the state, and as schemas know them. */
export function withoutTransform<Args extends { transform?: unknown }>(args: Args): Omit<Args, "transform"> {
  const rest = { ...args };
  delete rest.transform;
  return rest;
}
