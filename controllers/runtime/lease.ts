// The Lease object and the pure rules of when it is free.
import type { KubernetesObject, Resource } from "./object";

/** The Lease of `coordination.k8s.io/v1`. */
export interface Lease extends KubernetesObject {
  spec?: LeaseSpec;
}

/** Who holds a lease and since when; times are microseconds in text. */
export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/** Leases as the API server serves them. */
export const LEASES: Resource<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};

/** A lease as somebody saw it. */
export interface Observation {
  lease: Lease;
  /** When this state of the lease was first seen, on the monotonic clock of who saw it. */
  since: number;
}

/**
 * Notes a lease that was read. The time counts from when *we* first saw this state of it: what the holder's clock says
 * in renewTime is never compared with ours, so clocks may be apart by any amount.
 */
export function observe(before: Observation | undefined, lease: Lease, now: number): Observation {
  const same = before?.lease.metadata.resourceVersion === lease.metadata.resourceVersion;
  return before !== undefined && same ? before : { lease, since: now };
}

/** Whether a lease may be taken: nobody's, one's own, or not renewed for its whole duration. */
export function isFree({ lease, since }: Observation, identity: string, now: number): boolean {
  const { holderIdentity = "", leaseDurationSeconds = 0 } = lease.spec ?? {};
  return holderIdentity === "" || holderIdentity === identity || now - since > leaseDurationSeconds * 1000;
}

/** The spec with which a lease is taken or renewed. */
export function claim(
  before: LeaseSpec | undefined,
  identity: string,
  leaseDurationSeconds: number,
  now: number,
): LeaseSpec {
  const renewTime = microTime(now);
  const own = before?.holderIdentity === identity;
  return {
    holderIdentity: identity,
    leaseDurationSeconds,
    renewTime,
    acquireTime: own ? (before.acquireTime ?? renewTime) : renewTime,
    leaseTransitions: (before?.leaseTransitions ?? 0) + (own || before === undefined ? 0 : 1),
  };
}

/** Time as leases and events have it. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace("Z", "000Z");
}
