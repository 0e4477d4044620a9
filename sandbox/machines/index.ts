export type { Availability } from "./availability";
export { machineCommand, MachineHall, type HallOptions, type MachineState } from "./hall";
export type { Health } from "./health";
export { ensureImage } from "./image";
export { raiseLimits } from "./kernel-limits";
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
export { SERVICES_ADDRESS } from "./network";
