// What it takes to use a cloud that runs in a process of its own. The cloud itself, with AWS's API in it, is in `cloud.ts`:
// it takes a second to load, which no command should wait for.
export { imagesOf } from "./record";
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
