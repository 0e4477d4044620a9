import { AddressRange } from "./address-range";

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
export const MAX_ZONES = 3;

const MAX_PREFIX = 20;
const MIN_PREFIX = 16;

/** How to mend a network's range; undefined where nothing is wrong with it. */
export function rangeFix(cidr: string): string | undefined {
  const range = AddressRange.parse(cidr);
  if (range === undefined) return "use a range of addresses like 10.0.0.0/16";
  return range.prefix < MIN_PREFIX || range.prefix > MAX_PREFIX
    ? `use a prefix from /${MIN_PREFIX} to /${MAX_PREFIX}, which has room for ${MAX_ZONES} zones`
    : undefined;
}

/**
 * Divides a network's range: each zone has a quarter of it that does not depend on how many zones there are,
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
