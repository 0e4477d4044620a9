export type { Availability } from "./availability";
export { machineCommand } from "./machine-command";
export { MachineHost, type MachineHostOptions } from "./machine-host";
export type { Health } from "./network-helper/health";
export { ensureImage } from "./image";
export { raiseLimits } from "./kernel-limits";
export type { TargetHealth } from "./network-helper/load-balancer";
export type { MachineShell } from "./machine-shell";
export type { MachineState } from "./machine-state";
export { hasHostRecord } from "./record";
export type {
  PortForwardSpec,
  HealthCheck,
  LoadBalancerSpec,
  MachineRole,
  MachineSpec,
  VolumeSpec,
} from "./spec";
export type { NetworkServices } from "./network-services";
export type { VolumeStore, VolumeState } from "./volume-store";
export { outsideOf, SERVICES_ADDRESS } from "./network";
