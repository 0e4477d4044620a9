// The Kubernetes objects that the agent reads, as far as it reads them. Types only of the kinds: the agent stays small.
import type { ClusterUpgrade } from "../../api";
import { GROUP, VERSION } from "../../api/names";
import type { KubernetesObject, Resource } from "../runtime";

export { USERS, type UserObject, type UserStatus } from "../app/user";

/** A ClusterUpgrade in the cluster. */
export interface UpgradeObject extends KubernetesObject {
  spec: ClusterUpgrade["spec"];
  status?: NonNullable<ClusterUpgrade["status"]>;
}

/** The agent's own Node. */
export interface NodeObject extends KubernetesObject {
  spec?: { taints?: { key: string }[] };
  status?: { conditions?: NodeCondition[] };
}

/** A condition of a Node. */
export interface NodeCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

const ours = { group: GROUP, version: VERSION, namespaced: false };

/** ClusterUpgrades. */
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
