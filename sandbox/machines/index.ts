export type { Availability } from "./availability";
export { MachineHall, type HallOptions, type MachineState } from "./hall";
export type { Health } from "./health";
export { ensureImage } from "./image";
export type { TargetHealth } from "./load-balancer";
export type { MachineShell } from "./machine-shell";
export type {
  ForwardSpec,
  HealthCheck,
  LoadBalancerSpec,
  MachineRole,
  MachineSpec,
  VolumeSpec,
} from "./spec";
export type { Switchboard } from "./switchboard";
export type { VolumeRack, VolumeState } from "./volume-rack";
