import type * as pulumi from "@pulumi/pulumi";

/**
 * How a child of a component is made different: properties that take the place of ours, or a function that changes
 * the arguments and options that it is given.
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
