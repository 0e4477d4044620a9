// The hub's API server as a component.
export {
  type HubArgs,
  type HubEtcdArgs,
  type HubKubernetesArgs,
  HubServer,
  type HubTransforms,
  type HubVolumeArgs,
} from "./args";
export { Hub } from "./hub";
