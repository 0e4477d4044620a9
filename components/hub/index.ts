// The hub as components: its API server, its controllers, and the clusters that belong to it.
export {
  type HubArgs,
  type HubEtcdArgs,
  type HubKubernetesArgs,
  HubServer,
  type HubTransforms,
  type HubVolumeArgs,
} from "./args";
export { Fleet } from "./fleet";
export type {
  FleetArgs,
  FleetMemberArgs,
  FleetTopologyArgs,
  FleetTransforms,
  HubControllersArgs,
  HubControllersTransforms,
} from "./fleet-args";
export { Hub } from "./hub";
export { HubControllers } from "./hub-controllers";
