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
  openFaultProxyFixture,
  NAMESPACES,
  SECRETS,
  waitFor,
  waitForRest,
  type DataObject,
  type Widget,
  type FaultProxyFixture,
} from "./fixture";
