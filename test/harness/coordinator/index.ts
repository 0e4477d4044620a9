export { startCoordinatorFixture, type CoordinatorFixture, type Running, type StartOptions } from "./fixture";
export { quiet, writesWithin } from "./rest";
export { crashAtEveryWrite, type Change } from "./crash";
export { AgentStandIn, WITHOUT_UPGRADE } from "./agent-stand-in";
export { applyAll, catalogueFile, find, PluginProbe, tracesOf, type AnyObject } from "./plugin-probe";
export { FileStore, type Stored } from "./file-store";
export { Replica, Replicas, type ReplicaOptions } from "./replica";
export {
  isWrite,
  requestCounts,
  requestsBetween,
  sumOf,
  type RequestCounts,
  type RequestKind,
} from "./request-counters";
export {
  makeControlPlanePods,
  removeControlPlanePods,
  SERVER_LABELS,
  setPodReady,
  upgradeControlPlanePods,
} from "./control-plane-pods";
