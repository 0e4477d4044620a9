// What leaves a sandbox's network and what comes in, as route tables say: rules of nftables in the router, and the namespace
// that stands in for everything outside.
import { z } from "zod";

/** The link between the router and the outside. */
export const OUTSIDE_LINK = "outside";
/** The addresses of the outside's end and of the router's: a range that is reserved for documentation. */
export const OUTSIDE_RANGE = "203.0.113.0/24";
export const OUTSIDE_ADDRESS = "203.0.113.10";
export const OUTSIDE_GATEWAY = "203.0.113.1";

/** What a VPC's route tables and gateways come to. */
export const routingSpec = z.object({
  /** Subnets whose default route leads to a NAT gateway that works, and the public address of that. */
  nat: z.array(z.object({ subnetCidr: z.cidrv4(), publicIp: z.ipv4() })),
  /** Public addresses of interfaces in subnets whose default route leads to an internet gateway. */
  publicAddresses: z.array(z.object({ publicIp: z.ipv4(), privateIp: z.ipv4() })),
});
/** What a VPC's route tables and gateways come to. */
export type RoutingSpec = z.infer<typeof routingSpec>;

const TABLE = "ip fleetwright_routes";

/** The rules, as a file for `nft -f` that replaces those before. What of the router is `open` may be reached from outside. */
export function routingRules(
  spec: RoutingSpec,
  open: readonly { address: string; port: number }[] = [],
): string {
  const { nat, publicAddresses } = spec;
  const privates = publicAddresses.map(({ privateIp }) => privateIp);
  const incoming = publicAddresses.map(({ publicIp, privateIp }) => `${publicIp} : ${privateIp}`);
  const outgoing = publicAddresses.map(({ publicIp, privateIp }) => `${privateIp} : ${publicIp}`);
  const list = (values: readonly string[]): string => `{ ${[...new Set(values)].join(", ")} }`;
  return `table ${TABLE} {}
delete table ${TABLE}
table ${TABLE} {
  chain arriving {
    type nat hook prerouting priority dstnat + 1; policy accept;
    ${incoming.length === 0 ? "" : `dnat to ip daddr map ${list(incoming)}`}
  }
  chain leaving {
    type nat hook postrouting priority srcnat; policy accept;
    ${outgoing.length === 0 ? "" : `oifname ${OUTSIDE_LINK} snat to ip saddr map ${list(outgoing)}`}
    ${nat.map(({ subnetCidr, publicIp }) => `oifname ${OUTSIDE_LINK} ip saddr ${subnetCidr} snat to ${publicIp}`).join("\n    ")}
  }
  chain crossing {
    type filter hook forward priority 0; policy accept;
    ct state established,related accept
    ${privates.length === 0 ? "" : `iifname ${OUTSIDE_LINK} ip daddr ${list(privates)} ct status dnat accept`}
    iifname ${OUTSIDE_LINK} drop
    ${[...privates, ...nat.map(({ subnetCidr }) => subnetCidr)].map((from) => `oifname ${OUTSIDE_LINK} ip saddr ${from} accept`).join("\n    ")}
    oifname ${OUTSIDE_LINK} drop
  }
  chain local {
    type filter hook input priority 0; policy accept;
    iifname ${OUTSIDE_LINK} ct state established,related accept
    ${open.map(({ address, port }) => `iifname ${OUTSIDE_LINK} ip daddr ${address} tcp dport ${port} accept`).join("\n    ")}
    iifname ${OUTSIDE_LINK} drop
  }
}
`;
}
