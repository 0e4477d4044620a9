import type { ClusterUpgrade } from "../../api";
import { GROUP, VERSION } from "../../api/names";
import type { KubernetesObject, Resource } from "../runtime";
import type { UserObject } from "./users/login";

/** A ClusterUpgrade in the cluster. */
export interface UpgradeObject extends KubernetesObject {
  spec: ClusterUpgrade["spec"];
  status?: NonNullable<ClusterUpgrade["status"]>;
}

/** The agent's own node, as far as it is looked at. */
export interface NodeObject extends KubernetesObject {
  spec?: { taints?: { key: string }[] };
  status?: { conditions?: NodeCondition[] };
}

/** A condition of a node. */
export interface NodeCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

const ours = { group: GROUP, version: VERSION, namespaced: false };

/** Users as the API server serves them. */
export const USERS: Resource<UserObject> = { ...ours, kind: "User", plural: "users" };
/** Upgrades as the API server serves them. */
export const UPGRADES: Resource<UpgradeObject> = {
  ...ours,
  kind: "ClusterUpgrade",
  plural: "clusterupgrades",
};
/** Nodes. */
export const NODES: Resource<NodeObject> = {
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  namespaced: false,
};
