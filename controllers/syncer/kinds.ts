// The kinds that the syncer reads and writes, as its client has them.
import { GROUP, VERSION, type StatusOf, type SpecOf } from "../../api";
import { HUB_PLURALS, type share } from "../../api/hub";
import type { KubernetesObject, Resource } from "../runtime";

/** A Share on the hub. */
export interface ShareObject extends KubernetesObject {
  spec: SpecOf<typeof share>;
  status?: ShareStatus;
}

/** What the syncer says of a Share. */
export type ShareStatus = StatusOf<typeof share>;

/** Shares as the hub serves them. */
export const SHARES: Resource<ShareObject> = {
  group: GROUP,
  version: VERSION,
  kind: "Share",
  plural: HUB_PLURALS.Share,
  namespaced: true,
};

/** A ConfigMap. */
export interface ConfigMapObject extends KubernetesObject {
  data?: Record<string, string>;
}

/** ConfigMaps. */
export const CONFIG_MAPS: Resource<ConfigMapObject> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};

/** Namespaces. */
export const NAMESPACES: Resource<KubernetesObject & { status?: { phase?: string } }> = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};

/** A node, as far as the hub wants to know of it. */
export interface NodeObject extends KubernetesObject {
  spec?: { unschedulable?: boolean };
  status?: {
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    conditions?: { type: string; status: string }[];
  };
}

/** Nodes. */
export const NODES: Resource<NodeObject> = {
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  namespaced: false,
};
