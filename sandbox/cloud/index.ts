export {
  AWS_PORT,
  imagesOf,
  REGISTRY_PORT,
  RELEASES_PORT,
  startCloud,
  type Cloud,
  type CloudOptions,
} from "./cloud";
export { planSteps, type Seen, type Step } from "./plan";
export type { Trouble } from "./reconciler";
export { HEALTH_CHECK_HASTE } from "./specs";
export {
  askCloud,
  ensureCloud,
  inspectCloud,
  openDoor,
  orderMachine,
  stopCloud,
  type RunningCloud,
} from "./service";
export type { CloudStatus } from "./status";
