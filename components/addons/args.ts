// What is declared inside a cluster, as arguments. Each is the spec of its kind (api/), whose page in docs/reference
// describes it, with what a program adds to it.
import type * as pulumi from "@pulumi/pulumi";
import type {
  AuthorizationRoleBindingSpecInput,
  AuthorizationRoleSpecInput,
  PluginSpecInput,
  RegistrySpecInput,
  UserSpecInput,
} from "../../api";

/** Labels as key and value. */
export type Labels = Record<string, string>;

/** A person who may log in to every node: the spec of a User. */
export type UserArgs = UserSpecInput;

/** A set of rights: the spec of an AuthorizationRole, and its name. */
export interface RoleArgs extends AuthorizationRoleSpecInput {
  name: string;
}

/** Gives a role to a person or a team: the spec of an AuthorizationRoleBinding. */
export interface BindingArgs extends AuthorizationRoleBindingSpecInput {
  /** @default made of who, role and namespace */
  name?: string;
}

/** The credentials of a registry. They go into a Secret and nowhere else. */
export interface CredentialsArgs {
  /** For ECR the access key id; Google's needs none. @default none */
  username?: pulumi.Input<string>;
  /** The password or token; for ECR the secret access key, for Google's the JSON key. */
  password: pulumi.Input<string>;
}

/** An image registry that pods may pull from: the spec of a Registry, and its name. */
export interface RegistryArgs extends Omit<RegistrySpecInput, "credentials"> {
  name: string;
  /** Only ECR can do without, by the role of its pod or node. */
  credentials?: CredentialsArgs;
}

/** Software that is installed in the cluster: a bundled one, or the spec of a Plugin. */
export interface PluginArgs extends Partial<PluginSpecInput> {
  name: string;
  /** One of the catalogue: metrics-server, prometheus, sample. Then nothing else is needed. @default none */
  bundled?: string;
}

/** Labels on nodes. */
export interface NodeLabelSets {
  /** Labels of every node, by the key after `cluster.fleetwright.dev/`. @default {} */
  cluster?: Labels;
  /** Labels of a pool's nodes, by the pool and then by the key after `nodepool.fleetwright.dev/`. @default {} */
  pools?: Record<string, Labels>;
}
