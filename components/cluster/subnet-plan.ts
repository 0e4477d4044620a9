import { AddressRange } from "./address-range";
import type { Problem } from "./problem";

/** The subnets of one zone. */
export interface ZonePlan {
  /** For nodes and their load balancers; half of the zone's share. */
  readonly private: string;
  /** For NAT gateways and load balancers that face the internet. */
  readonly public: string;
  /** For the servers' network interfaces only, so that nobody takes one of their fixed addresses. */
  readonly control: string;
}

/** The most zones that a network spans. A quarter stays free for what comes later. */
export const MOST_ZONES = 3;

const LONGEST_PREFIX = 20;
const SHORTEST_PREFIX = 16;

/** What is wrong with a network's range. */
export function rangeProblems(cidr: string): Problem[] {
  const range = AddressRange.parse(cidr);
  if (range === undefined) {
    return [
      `network.cidr is ${JSON.stringify(cidr)}, which is no range of addresses: use one like 10.0.0.0/16.`,
    ];
  }
  return range.prefix < SHORTEST_PREFIX || range.prefix > LONGEST_PREFIX
    ? [
        `network.cidr is ${cidr}: a VPC with room for ${MOST_ZONES} zones has a prefix from /${SHORTEST_PREFIX} to /${LONGEST_PREFIX}.`,
      ]
    : [];
}

/**
 * Divides a network's range: each zone has a quarter of it at a place that does not depend on how many zones there are,
 * so that another zone never moves a subnet. Of 10.0.0.0/16 the first zone has 10.0.0.0/19 (private), 10.0.32.0/20
 * (public) and 10.0.48.0/24 (control).
 */
export function planSubnets(cidr: string, zones: number): ZonePlan[] {
  const range = AddressRange.parse(cidr);
  return Array.from({ length: zones }, (_, zone) => {
    const quarter = range?.part(range.prefix + 2, zone);
    const plan = {
      private: quarter?.part(quarter.prefix + 1, 0),
      public: quarter?.part(quarter.prefix + 2, 2),
      control: quarter?.part(quarter.prefix + 6, 48),
    };
    if (plan.private === undefined || plan.public === undefined || plan.control === undefined) {
      throw new RangeError(`${cidr} cannot be divided into ${zones} zones`);
    }
    return { private: String(plan.private), public: String(plan.public), control: String(plan.control) };
  });
}
