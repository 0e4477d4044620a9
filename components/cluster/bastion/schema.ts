// The settings of the way in: shape, defaults and checks.
import { createHash } from "node:crypto";
import { z } from "zod";
import { found, type Problem } from "../../problem";
import type { ShapeOf } from "../../schema";
import { AddressRange } from "../network/address-range";
import { AccessMode, type BastionArgs } from "./args";

const range = z
  .string()
  .refine(
    (text) => AddressRange.parse(text) !== undefined,
    "use a range of addresses like 203.0.113.7/32: your own public address",
  );

/** The settings of a bastion. */
export const bastionSchema = z.strictObject({
  from: z.array(range).min(1, "name the ranges that may log in, such as your own address with /32"),
  instanceType: z.string().default("t3.micro"),
  imageId: z.string().optional(),
  localPort: z.int().min(1024).max(65535).optional(),
} satisfies ShapeOf<BastionArgs>);

/** A bastion with all defaults. */
export type BastionSettings = z.output<typeof bastionSchema>;

/** What the settings of a network say of the way in. */
export interface AccessSettings {
  readonly access?: AccessMode | undefined;
  readonly bastion?: BastionSettings | undefined;
}

/**
 * How nodes and the API are reached. Who may log in to a bastion cannot be guessed, so there is one where somebody is named;
 * a stack that an earlier release built keeps the way that it has.
 */
export function accessMode({ access, bastion }: AccessSettings): AccessMode {
  return access ?? (bastion === undefined ? AccessMode.Direct : AccessMode.Bastion);
}

/** What is wrong with the way in beyond its single settings. */
export function accessProblems(settings: AccessSettings): Problem[] {
  const { access, bastion } = settings;
  if (access === AccessMode.Bastion && bastion === undefined)
    return [
      {
        path: "bastion.from",
        message: found(
          undefined,
          "name the ranges that may log in to the bastion, such as your own address with /32",
        ),
      },
    ];
  if (access === AccessMode.Direct && bastion !== undefined)
    return [{ path: "bastion", message: "not used with access direct: remove it, or set access to bastion" }];
  return [];
}

/**
 * The port of this machine at which the API of a cluster is reached. It stands in the kubeconfig, and so has to be the same in
 * every run; and others have to have another one.
 */
export function tunnelPort(identity: string): number {
  return 20_000 + (createHash("sha256").update(identity).digest().readUInt32BE() % 10_000);
}
