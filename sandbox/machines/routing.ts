// What leaves a sandbox's network and what comes in, as route tables say: rules of nftables in the router, and the namespace
// that stands in for everything outside.
import { z } from "zod";

/** The link between the router and the outside. */
export const OUTSIDE_LINK = "outside";
/** The addresses of the outside's end and of the router's: a range that is reserved for documentation. */
export const OUTSIDE_RANGE = "203.0.113.0/24";
export const OUTSIDE_ADDRESS = "203.0.113.10";
export const OUTSIDE_GATEWAY = "203.0.113.1";

/** Public addresses: another such range, as the AWS API gives them (aws/moto/addresses.py). */
export const PUBLIC_RANGE = "198.51.100.0/24";

/** The bridge that is the router of all subnets. */
export const BRIDGE = "br0";

/** A port of the router that is open to the outside. */
export interface OpenPort {
  address: string;
  port: number;
  /** @default "tcp" */
  protocol?: "tcp" | "udp";
}

/** What a VPC's route tables and gateways come to. */
export const routingSpec = z.object({
  /** Subnets whose default route leads to a NAT gateway that works, and the public address of that. */
  nat: z.array(z.object({ subnetCidr: z.cidrv4(), publicIp: z.ipv4() })),
  /** Public addresses of machines and load balancers in subnets whose default route leads to an internet gateway. */
  publicAddresses: z.array(z.object({ publicIp: z.ipv4(), privateIp: z.ipv4() })),
});
/** What a VPC's route tables and gateways come to. */
export type RoutingSpec = z.infer<typeof routingSpec>;

const TABLE = "ip fleetwright_routes";

/** The rules, as a file for `nft -f` that replaces those before. What of the router is `open` may be reached from outside. */
export function routingRules(spec: RoutingSpec, open: readonly OpenPort[] = []): string {
  const { nat, publicAddresses } = spec;
  const privates = publicAddresses.map(({ privateIp }) => privateIp);
  const publics = publicAddresses.map(({ publicIp }) => publicIp);
  const incoming = publicAddresses.map(({ publicIp, privateIp }) => `${publicIp} : ${privateIp}`);
  const outgoing = publicAddresses.map(({ publicIp, privateIp }) => `${privateIp} : ${publicIp}`);
  const senders = [...privates, ...nat.map(({ subnetCidr }) => subnetCidr)];
  const where = (has: readonly string[], rule: string): string => (has.length === 0 ? "" : rule);
  // From one machine to the public address of another: by the gateway and back, for whoever has a way out.
  const turned = `ct original ip daddr ${list(publics)}`;
  const unsent = `iifname ${BRIDGE} ${turned} ${where(senders, `ip saddr != ${list(senders)}`)} drop`;
  return `table ${TABLE} {}
delete table ${TABLE}
table ${TABLE} {
  chain as_seen_outside {
    ${where(outgoing, `snat to ip saddr map ${list(outgoing)}`)}
    ${nat.map(({ subnetCidr, publicIp }) => `ip saddr ${subnetCidr} snat to ${publicIp}`).join("\n    ")}
  }
  chain arriving {
    type nat hook prerouting priority dstnat + 1; policy accept;
    ${where(incoming, `dnat to ip daddr map ${list(incoming)}`)}
  }
  chain sending {
    type nat hook output priority -100; policy accept;
    ${where(incoming, `dnat to ip daddr map ${list(incoming)}`)}
  }
  chain leaving {
    type nat hook postrouting priority srcnat; policy accept;
    oifname ${OUTSIDE_LINK} jump as_seen_outside
    ${where(publics, `${turned} jump as_seen_outside`)}
  }
  chain entering {
    type nat hook input priority 100; policy accept;
    ${where(publics, `${turned} jump as_seen_outside`)}
  }
  chain crossing {
    type filter hook forward priority 0; policy accept;
    ${where(publics, `${turned} meta mark set 0`)}
    ct state established,related accept
    ${where(publics, unsent)}
    ${where(privates, `iifname ${OUTSIDE_LINK} ip daddr ${list(privates)} ct status dnat accept`)}
    iifname ${OUTSIDE_LINK} drop
    ${senders.map((from) => `oifname ${OUTSIDE_LINK} ip saddr ${from} accept`).join("\n    ")}
    oifname ${OUTSIDE_LINK} drop
  }
  chain local {
    type filter hook input priority 0; policy accept;
    ct state established,related accept
    ${where(publics, unsent)}
    ${where(privates, `iifname ${OUTSIDE_LINK} ip daddr ${list(privates)} ct status dnat accept`)}
    ${open.map(({ address, port, protocol = "tcp" }) => `iifname ${OUTSIDE_LINK} ip daddr ${address} ${protocol} dport ${port} accept`).join("\n    ")}
    iifname ${OUTSIDE_LINK} drop
  }
}
`;
}

function list(values: readonly string[]): string {
  return `{ ${[...new Set(values)].join(", ")} }`;
}
