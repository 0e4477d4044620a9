// The settings of a stack. docs/reference/configuration.md is written from these interfaces and those that they mention.
import type { RaisedCeiling } from "../../api";
import type {
  BindingArgs,
  NodeLabelSets,
  PluginArgs,
  RegistryArgs,
  RoleArgs,
  UserArgs,
} from "../addons/args";
import type { AgentArgs } from "../agent/agent";
import type { CoordinatorArgs } from "../agent/coordinator";
import type { ClusterArgs } from "../cluster/args";
import type { IdentityArgs } from "../cluster/identity/args";
import type { FleetMemberArgs } from "../hub/fleet-args";

/** The settings of a stack, as its file has them. */
export interface StackSettings {
  /** What the stack is for; every object has it as the label `fleetwright.dev/environment`, and a new cluster as its name. @example "dev" */
  environment: string;
  /** The cluster to build, without the login key and without `identity`. @default none: the stack manages the existing cluster of `kubeContext` */
  cluster?: ClusterArgs;
  /** The version that a ClusterUpgrade may bring the nodes of `cluster` to, although `cluster.version` is another one. Set `cluster.version` to it when that is done: until then, what runs is ahead of this file, and every preview says so. @default none: a ClusterUpgrade may only go to `cluster.version` @example "v1.36.1+rke2r1" */
  upgradeTo?: string;
  /** The context, in your kubeconfig (KUBECONFIG, or ~/.kube/config), of an existing cluster to manage. Never the current context by itself. @default none: the stack builds `cluster` */
  kubeContext?: string;
  /** The hub that `cluster` is made a member of, or that `members` belong to. @default none */
  hub?: ConfiguredHub;
  /** Existing clusters that are made members of `hub`. A stack that has them has no cluster of its own. @default none */
  members?: ConfiguredMember[];
  /** The private key that nodes are logged in to with. A secret. @default a new one, kept in the state */
  sshPrivateKey?: string;
  /** More labels for every object of the stack. @default {} */
  labels?: Record<string, string>;
  /** People who may log in to every node by SSH. @default [] */
  users?: UserArgs[];
  /** Who vouches for people at the API of the cluster, beside the tokens of `npm run access`. @default {} */
  identity?: IdentityArgs;
  /** Image registries that pods may pull from. @default [] */
  registries?: ConfiguredRegistry[];
  /** The credentials of each registry, by its name. A secret: `pulumi config set --secret --path 'fleetwright:registryCredentials.NAME.password'`. @default {} */
  registryCredentials?: Record<string, RegistryCredentials>;
  /** Labels on nodes. @default {} */
  nodeLabels?: NodeLabelSets;
  /** Software that is installed in the cluster. @default [] */
  plugins?: PluginArgs[];
  /** Sets of rights. @default [] */
  roles?: RoleArgs[];
  /** Rights that roles may give besides what they may give in every cluster. What is raised can be used to gain more: see docs/decisions/0030. @default {} */
  roleCeiling?: RaisedCeiling;
  /** Who holds which role. @default [] */
  bindings?: BindingArgs[];
  /** The program that acts on all of this in the cluster. Without an image it is not installed; the sandbox names the one that it packs. @default {} */
  coordinator?: CoordinatorArgs;
  /** The program that looks after each node from the inside. Without an image it is not installed; the sandbox names the one that it packs. @default {} */
  agent?: AgentArgs;
}

/** A hub as a stack's file has it. Its controllers have to run. */
export interface ConfiguredHub extends Omit<FleetMemberArgs, "kubeconfig" | "name"> {
  /** The context, in your kubeconfig (KUBECONFIG, or ~/.kube/config), of the hub's administrator. */
  kubeContext: string;
  /** What `cluster` is called on the hub. @default `environment` */
  name?: string;
}

/** A member as a stack's file has it. */
export interface ConfiguredMember extends Omit<FleetMemberArgs, "kubeconfig"> {
  /** The context, in your kubeconfig (KUBECONFIG, or ~/.kube/config), of the member's administrator: it makes an account for the hub there. */
  kubeContext: string;
}

/** The credentials of a registry. */
export interface RegistryCredentials {
  /** @default none, as for Google's registry */
  username?: string;
  password: string;
}

/** A registry as a stack's file has it. */
export interface ConfiguredRegistry extends Omit<RegistryArgs, "credentials"> {
  /** Whether `registryCredentials` has credentials for it. @default true for all but ECR, where a role does without */
  hasCredentials?: boolean;
}
