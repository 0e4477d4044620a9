export { startControlPlane, type ControlPlane } from "./controlplane";
export {
  inspectControlPlane,
  stopControlPlane,
  type ComponentStatus,
  type ControlPlaneStatus,
} from "./inspection";
export type { ComponentChoice, ControlPlaneOptions, ServerName } from "./options";
export type { NodeShape } from "./nodes";
export { ProcessEndedError, type Lifetime } from "../../lib/process";
export type { ControlPlaneTools } from "./tools";
