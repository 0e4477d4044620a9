export { Component, componentOf } from "./component";
export { randomFaults } from "./fault-plan";
export {
  FaultProxy,
  type Fault,
  type FaultPlan,
  type FaultProxyOptions,
  type SeenRequest,
} from "./fault-proxy";
export {
  CONFIG_MAPS,
  fixed,
  makeWorld,
  NAMESPACES,
  SECRETS,
  waitFor,
  type DataObject,
  type Widget,
  type World,
} from "./world";
