// What a company asks of every role that is made in its account. One place for all: roles get it wherever they are declared.
import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { input, type ShapeOf } from "../schema";
import { isDeferred } from "../problem";

/** What every role of the cluster has, its network's too. */
export interface IamArgs {
  /** The policy that no role can do more than. @example "arn:aws:iam::123456789012:policy/boundary" */
  permissionsBoundary?: pulumi.Input<string>;
  /** The path of roles and instance profiles; another one makes new roles. @default "/" @example "/platform/" */
  path?: string;
}

const POLICY_ARN = /^arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy\/.+/;

/** The settings of roles. */
export const iamSchema = z.strictObject({
  permissionsBoundary: input()
    .refine(
      (value) => isDeferred(value) || POLICY_ARN.test(value),
      "use the ARN of a policy, such as arn:aws:iam::123456789012:policy/boundary",
    )
    .optional(),
  path: z
    .string()
    .max(512)
    .refine(
      (text) => /^\/([\w+=,.@-]+\/)*$/.test(text),
      "use a path with a slash at both ends, such as /platform/",
    )
    .optional(),
} satisfies ShapeOf<IamArgs>);

/** Gives every role and instance profile below a component these settings. */
export function roleTransformation({ permissionsBoundary, path }: IamArgs): pulumi.ResourceTransformation {
  const located = path === undefined ? {} : { path };
  const bounded = permissionsBoundary === undefined ? {} : { permissionsBoundary };
  return ({ type, props, opts }) => {
    const given = props as object;
    if (type === "aws:iam/role:Role") return { props: { ...given, ...located, ...bounded }, opts };
    if (type === "aws:iam/instanceProfile:InstanceProfile") return { props: { ...given, ...located }, opts };
    return undefined;
  };
}
