export { startWorld, type CoordinatorWorld, type Running, type StartOptions } from "./world";
export { quiet, writesWithin } from "./rest";
export { crashAtEveryWrite, type Change } from "./crash";
export { AgentStandIn, WITHOUT_UPGRADE } from "./agent-stand-in";
export { applyAll, catalogueFile, find, PluginProbe, tracesOf, type AnyObject } from "./plugin-scene";
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
