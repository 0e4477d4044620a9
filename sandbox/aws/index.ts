export { startAws, type Aws, type AwsOptions, type Change, type TargetHealth } from "./aws";
export type { BalancerState, TargetGroupState } from "./balancer-state";
export { ACCOUNT, clientsFor, type Clients } from "./clients";
export { ensureMoto } from "./environment";
export type { Fault, Faults } from "./faults";
export type { Leftover } from "./leftovers";
export type { Ledger, LedgerEntry } from "./ledger";
export type { Addition } from "./rule";
export type {
  CloudState,
  GroupState,
  InstanceState,
  InterfaceState,
  SnapshotState,
  VolumeState,
} from "./state";
export { DEFAULT_TIMING, type Timing } from "./timing";
export { awsVariables, CREDENTIALS } from "./variables";
