/** How long things take to reach their final state, in milliseconds. */
export interface Timing {
  /** Instances: pending to running, shutting-down to terminated. */
  instance: number;
  /** Instances: stopping to stopped, where no machine stands behind them that takes its own time. */
  stop: number;
  /** Volumes: creating to available. */
  volume: number;
  /** Volumes: attaching to attached. */
  attachment: number;
  /** NAT gateways: pending to available. */
  gateway: number;
  /** Load balancers: provisioning to active. */
  balancer: number;
  /** EKS clusters: CREATING to ACTIVE. */
  cluster: number;
  /** EKS node groups: CREATING to ACTIVE. */
  nodegroup: number;
  /** EKS add-ons: CREATING to ACTIVE. */
  addon: number;
  /** EKS updates: InProgress to Successful. */
  update: number;
}

/** Long enough for every waiter to wait once, short enough not to be felt. */
export const DEFAULT_TIMING: Timing = {
  instance: 300,
  // AWS takes three times as long to stop an instance as to start it.
  stop: 900,
  volume: 150,
  attachment: 150,
  gateway: 200,
  balancer: 200,
  cluster: 300,
  nodegroup: 300,
  addon: 200,
  update: 200,
};

/** The delays that moto itself keeps, in seconds, as it takes them. */
export function motoDelays(timing: Timing): Record<string, number> {
  return Object.fromEntries(
    Object.entries(timing)
      .filter(([name]) => name !== "addon" && name !== "update")
      .map(([name, milliseconds]) => [name, milliseconds / 1000]),
  );
}
