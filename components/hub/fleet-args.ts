import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Labels } from "../addons/args";
import type { Transform } from "../transform";

/** The arguments of `Fleet`. */
export interface FleetArgs {
  /** The administrator's kubeconfig of the hub, such as `kubeconfig` of a `Hub`. A secret. */
  hub: pulumi.Input<string>;
  /** The clusters that the hub's objects go to. */
  members: FleetMemberArgs[];
  /** Whether to declare the hub's kinds and the product's namespace there. They stay when they are no longer declared. `false` where somebody else keeps the hub. @default true */
  kinds?: boolean;
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
  transform?: FleetTransforms;
}

/** A member of a fleet, which the hub calls. */
export interface FleetMemberArgs {
  /** Its name on the hub. @example "east" */
  name: string;
  /** The kubeconfig of its administrator, with a certificate or a token: it makes the hub's account there, and never gets to the hub. A secret. */
  kubeconfig: pulumi.Input<string>;
  /** Whether the hub may place objects there. @default true */
  accepted?: boolean;
  /** What happens to what the hub placed there when it is no longer a member: `Orphan` (it runs on) or `Delete`. @default "Orphan" */
  onRemove?: string;
  /** Where it is. @default {} */
  topology?: FleetTopologyArgs;
  /** Kinds of definitions that may be placed there as well, as `resource.group`. @default [] @example ["certificates.cert-manager.io"] */
  kinds?: string[];
}

/** Where a member is. */
export interface FleetTopologyArgs {
  /** @default none @example "aws" */
  provider?: string;
  /** @default none @example "eu-central-1" */
  region?: string;
  /** @default none @example "eu-central-1a" */
  zone?: string;
}

/** Overrides for the children of `Fleet`. */
export interface FleetTransforms {
  cluster?: Transform<kubernetes.apiextensions.CustomResourceArgs>;
  account?: Transform<kubernetes.core.v1.ServiceAccountArgs>;
  clusterRole?: Transform<kubernetes.rbac.v1.ClusterRoleArgs>;
}

/** The arguments of `HubControllers`. */
export interface HubControllersArgs {
  /** By its digest. @example "registry.example.com/fleetwright/hub@sha256:…" */
  image: string;
  /** Where they run, such as the `namespace` of a `Hub`. */
  namespace: pulumi.Input<string>;
  /** The kubeconfig with which they work on the hub, such as that of a `Hub`. A secret. */
  kubeconfig: pulumi.Input<string>;
  /** One works, the others wait to take over. @default 2 */
  replicas?: number;
  /** Which controllers run: names, `*` for all, `-name` for not. @default "*" */
  controllers?: string;
  /** Whether the syncers of members in the mode push run in them: `push` or `none`. @default "push" */
  syncers?: string;
  /** The ports of the APIs of hub and members, for the network policy. @default [443, 6443] */
  apiPorts?: number[];
  /** debug, info, warn or error. @default "info" */
  logLevel?: string;
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
  transform?: HubControllersTransforms;
}

/** Overrides for the children of `HubControllers`. */
export interface HubControllersTransforms {
  deployment?: Transform<kubernetes.apps.v1.DeploymentArgs>;
  disruptionBudget?: Transform<kubernetes.policy.v1.PodDisruptionBudgetArgs>;
  networkPolicy?: Transform<kubernetes.networking.v1.NetworkPolicyArgs>;
}
