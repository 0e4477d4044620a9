import * as pulumi from "@pulumi/pulumi";
import { assertNoProblems } from "../problem";
import { withoutTransform } from "../transform";
import type { UserArgs } from "./args";
import { declare, type DeclarationTransform, type Labels } from "./declaration";
import { userProblems } from "./problems";

/** The arguments of `Users`. */
export interface UsersArgs {
  users: UserArgs[];
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
  transform?: { user?: DeclarationTransform };
}

/**
 * The people who may log in to every node of a cluster by SSH.
 *
 * @example
 * new Users("users", { users: [{ name: "jane", sshKeys: [{ key: "ssh-ed25519 AAAA… jane@laptop" }] }] });
 */
export class Users extends pulumi.ComponentResource {
  constructor(name: string, args: UsersArgs, opts: pulumi.ComponentResourceOptions = {}) {
    assertNoProblems("users", userProblems(args.users), opts.parent);
    super("fleetwright:index:Users", name, withoutTransform(args), opts);
    for (const spec of args.users) {
      const declaration = { kind: "User", name: spec.name, spec } as const;
      declare(this, `${name}-${spec.name}`, declaration, args.labels, args.transform?.user);
    }
    this.registerOutputs({});
  }
}
