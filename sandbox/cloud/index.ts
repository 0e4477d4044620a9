// For users of a cloud that runs in its own process. The cloud itself, with the AWS API in it, is in `cloud.ts`: it takes a
// second to load, which no command should wait for.
export { imagesOf } from "./record";
export {
  cloudStatusOf,
  ensureCloud,
  inspectCloud,
  forwardPort,
  controlMachine,
  stopCloud,
  type RunningCloud,
} from "./service";
export type { CloudStatus } from "./status";
