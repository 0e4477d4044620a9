import * as pulumi from "@pulumi/pulumi";
import { type Problem, refuseProblems } from "../cluster/problem";
import { declare, nameProblems, specProblems, type DeclarationTransform, type Labels } from "./declaration";

/** A public key of a user. */
export interface SshKeyArgs {
  /** One line as in a `.pub` file: Ed25519, ECDSA, or RSA of 3072 bits and more. */
  key: string;
  /** What a person calls the key. @example "laptop" */
  name?: string;
  /** The moment from which the key opens nothing any more. @example "2030-01-01T00:00:00Z" */
  notAfter?: string;
}

/** A person who may log in to every node. */
export interface UserArgs {
  /** The login name. */
  name: string;
  /** @default [] */
  sshKeys?: SshKeyArgs[];
  /** Whether the person may become root. @default false */
  sudo?: boolean;
  /** The teams that the person is in. @default [] */
  teams?: string[];
  fullName?: string;
}

/** The arguments of `Users`. */
export interface UsersArgs {
  users: UserArgs[];
  /** Labels for every object. @default {} */
  labels?: Labels;
}

/** The options of `Users`. */
export interface UsersOptions extends pulumi.ComponentResourceOptions {
  transform?: { user?: DeclarationTransform };
}

/**
 * The people who may log in to every node of a cluster by SSH.
 *
 * @example
 * new Users("users", { users: [{ name: "jane", sshKeys: [{ key: "ssh-ed25519 AAAA… jane@laptop" }] }] });
 */
export class Users extends pulumi.ComponentResource {
  constructor(name: string, args: UsersArgs, opts: UsersOptions = {}) {
    refuseProblems("The list of users", userProblems(args.users), opts.parent);
    super("fleetwright:index:Users", name, args, opts);
    for (const spec of args.users) {
      const declaration = { kind: "User", name: spec.name, spec } as const;
      declare(this, `${name}-${spec.name}`, declaration, args.labels, opts.transform?.user);
    }
    this.registerOutputs({});
  }
}

/** All that is wrong with a list of users. */
export function userProblems(users: readonly UserArgs[]): Problem[] {
  return [
    ...users.flatMap((user, index) => specProblems("User", `users[${index}]`, user)),
    // Whether a name is a good login is said above.
    ...nameProblems(
      "users",
      users.map(({ name }) => name),
    ).filter((text) => text.includes("more than once")),
  ];
}
