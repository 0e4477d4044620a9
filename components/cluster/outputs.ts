/** A pool as it came out. */
export interface NodePoolOutput {
  name: string;
  count: number;
  /** The auto scaling group or managed node group; empty where every node is an instance of its own. */
  groupName: string;
}

/** A member's state as it came out. */
export interface StateVolumeOutput {
  member: string;
  volumeId: string;
  networkInterfaceId: string;
  address: string;
  zone: string;
}
