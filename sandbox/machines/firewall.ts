// The security groups of a sandbox as rules of nftables on its bridge. Machines are known by their hardware addresses, so
// that pods without an address of the VPC count as their node, as behind a CNI's tunnel.
import { z } from "zod";
import { contains, macOf } from "./addresses";

const rule = z.object({
  /** `all`, `tcp`, `udp` or `icmp`; EC2 knows others by number, which nothing here speaks. */
  protocol: z.string(),
  first: z.int().optional(),
  last: z.int().optional(),
  cidrs: z.array(z.string()),
  /** Groups whose members are meant. */
  groups: z.array(z.string()),
});
/** One rule of a security group: what may come from, or go to, ranges and members of groups. */
export type GroupRule = z.infer<typeof rule>;

/** Security groups, and the interfaces that have them. */
export const firewallSpec = z.object({
  groups: z.record(z.string(), z.object({ ingress: z.array(rule), egress: z.array(rule) })),
  /** The first address of each is the one that a machine's link is made for. */
  interfaces: z.array(
    z.object({
      addresses: z.array(z.ipv4()).min(1),
      groups: z.array(z.string()).min(1),
      /** Whether a public address leads to it. @default false */
      isPublic: z.boolean().optional(),
    }),
  ),
});
/** Security groups, and the interfaces that have them. */
export type FirewallSpec = z.infer<typeof firewallSpec>;

const TABLE = "bridge fleetwright_groups";
/** The same for what comes to the router itself under a public address: for load balancers that face the internet. */
const TRANSLATED = "ip fleetwright_groups";
/** The ports over which CNIs carry pods from node to node; machines of a sandbox carry them openly. */
const POD_TUNNELS = [8472, 4789];

interface Guarded {
  mark: number;
  name: string;
  address: string;
  addresses: string[];
  mac: string;
  groups: string[];
}

/**
 * The rules, as a file for `nft -f` that replaces those before. The bridge has no connection tracking, so a connection is
 * decided where it begins, and the datagrams of UDP in both directions.
 */
export function firewallRules(spec: FirewallSpec): string {
  const guarded = spec.interfaces.map(({ addresses: [address = "", ...more], groups }, index): Guarded => ({
    ...{ mark: index + 1, name: `i${index + 1}`, address, addresses: [address, ...more] },
    ...{ mac: macOf(address), groups },
  }));
  const head = [TABLE, TRANSLATED].map((table) => `table ${table} {}\ndelete table ${table}\n`).join("");
  if (guarded.length === 0) return head;
  const all = set(guarded.flatMap(({ addresses }) => addresses));
  const chains = guarded.flatMap((one) => [
    chain(`in_${one.name}`, ingress(one, guarded, spec, all)),
    chain(`out_${one.name}`, egress(one, guarded, spec, all)),
    chain(`reply_${one.name}`, replies(one, guarded, spec)),
  ]);
  const checked = ["ether type != ip accept", ...EXEMPT];
  const arriving = `ether daddr vmap { ${guarded.map(({ mac, name }) => `${mac} : goto in_${name}`).join(", ")} }`;
  const leaving = `meta mark vmap { ${guarded.map(({ mark, name }) => `${mark} : goto out_${name}`).join(", ")} }`;
  const byAddress = (field: string, side: string): string =>
    `ip ${field} vmap { ${guarded.flatMap(({ addresses, name }) => addresses.map((ip) => `${ip} : goto ${side}_${name}`)).join(", ")} }`;
  const marks = guarded.map(({ mac, mark }) => `${mac} : ${mark}`).join(", ");
  return `${head}table ${TABLE} {
${chains.join("\n")}
${hook("known", "prerouting", 0, [`meta mark set ether saddr map { ${marks} }`])}
${hook("forward_out", "forward", 0, [...checked, leaving])}
${hook("forward_in", "forward", 10, [...checked, arriving])}
${hook("input_out", "input", 0, [...checked, leaving])}
${hook("input_in", "input", 10, [...checked, byAddress("daddr", "in")])}
${hook("output_out", "output", 0, [...checked, `meta mark 0 ${byAddress("saddr", "out")}`])}
${hook("output_in", "output", 10, [...checked, arriving])}
}
${translated(
  guarded.filter((_, index) => spec.interfaces[index]?.isPublic === true),
  guarded,
  spec,
)}`;
}

/** After the sender has got the address that it has on the internet: groups that a rule names do not know that one. */
function translated(some: readonly Guarded[], all: readonly Guarded[], spec: FirewallSpec): string {
  if (some.length === 0) return "";
  const chains = some.map((one) =>
    chain(`in_${one.name}`, [
      ...rulesOf(one, spec, "ingress").flatMap((found) =>
        sources(found, all).map((from) => `ip saddr ${from} ${traffic(found)} accept`),
      ),
      "drop",
    ]),
  );
  const arriving = some.flatMap(({ addresses, name }) => addresses.map((ip) => `${ip} : goto in_${name}`));
  return `table ${TRANSLATED} {
${chains.join("\n")}
${hook("input", "input", 110, [...EXEMPT, `ct status dnat ip daddr vmap { ${arriving.join(", ")} }`])}
}
`;
}

/** What no group decides: what is under way, and the services at link-local addresses. */
const EXEMPT = [
  "ip saddr 169.254.0.0/16 accept",
  "ip daddr 169.254.0.0/16 accept",
  "ip protocol tcp tcp flags & (syn | ack) != syn accept",
  "icmp type { echo-reply, destination-unreachable, time-exceeded } accept",
];

function ingress(one: Guarded, all: readonly Guarded[], spec: FirewallSpec, addresses: string): string[] {
  const rules = rulesOf(one, spec, "ingress");
  const marks = (found: GroupRule): number[] => members(found, all).map(({ mark }) => mark);
  const pods = [...new Set(rules.filter(carriesPods).flatMap(marks))];
  const own = set(one.addresses);
  return [
    // To a pod on it, or from a pod by UDP: what a tunnel would carry.
    ...(pods.length === 0
      ? []
      : [
          `ip daddr != ${own} meta mark ${set(pods)} accept`,
          `ip protocol udp ip saddr != ${addresses} meta mark ${set(pods)} accept`,
        ]),
    `ip daddr != ${own} drop`,
    ...rules.flatMap((found) => [
      ...(marks(found).length === 0 ? [] : [`meta mark ${set(marks(found))} ${traffic(found)} accept`]),
      ...sources(found, all).map((from) => `meta mark 0 ip saddr ${from} ${traffic(found)} accept`),
    ]),
    `ip protocol udp meta mark vmap { ${all.map(({ mark, name }) => `${mark} : jump reply_${name}`).join(", ")} }`,
    "drop",
  ];
}

function egress(one: Guarded, all: readonly Guarded[], spec: FirewallSpec, addresses: string): string[] {
  const macs = set(all.map(({ mac }) => mac));
  return [
    `ip daddr != ${addresses} ether daddr ${macs} accept`,
    ...rulesOf(one, spec, "egress").flatMap((found) =>
      sources(found, all).map((to) => `ip daddr ${to} ${traffic(found)} accept`),
    ),
    `ip protocol udp jump reply_${one.name}`,
    "drop",
  ];
}

/** Answers by UDP to whoever may ask. */
function replies(one: Guarded, all: readonly Guarded[], spec: FirewallSpec): string[] {
  return rulesOf(one, spec, "ingress")
    .filter(({ protocol }) => protocol === "udp" || protocol === "all")
    .flatMap((found) =>
      sources(found, all).map((to) => `ip daddr ${to} ${traffic(found, "sport", "udp")} accept`),
    );
}

function rulesOf({ groups }: Guarded, spec: FirewallSpec, side: "ingress" | "egress"): GroupRule[] {
  return groups.flatMap((id) => spec.groups[id]?.[side] ?? []);
}

/** The interfaces that a rule means, by group or by range. */
function members({ groups, cidrs }: GroupRule, all: readonly Guarded[]): Guarded[] {
  return all.filter(
    (one) =>
      one.groups.some((id) => groups.includes(id)) || cidrs.some((cidr) => contains(cidr, one.address)),
  );
}

/** The same as addresses and ranges, for those who have no interface of their own. */
function sources(found: GroupRule, all: readonly Guarded[]): string[] {
  const ofGroups = all.filter(({ groups }) => groups.some((id) => found.groups.includes(id)));
  const addresses = ofGroups.flatMap((one) => one.addresses);
  return [...found.cidrs, ...(addresses.length === 0 ? [] : [set(addresses)])];
}

function traffic({ protocol, first, last }: GroupRule, port = "dport", asked = protocol): string {
  if (asked === "all") return "";
  if (asked === "icmp") return "ip protocol icmp";
  if (asked !== "tcp" && asked !== "udp") return `ip protocol ${asked}`;
  if (first === undefined || protocol === "all") return `ip protocol ${asked}`;
  return `${asked} ${port} ${first}-${Math.max(first, last ?? first)}`;
}

function carriesPods({ protocol, first = 0, last = 65_535 }: GroupRule): boolean {
  if (protocol === "all") return true;
  return protocol === "udp" && POD_TUNNELS.some((port) => first <= port && port <= last);
}

function set(values: readonly (string | number)[]): string {
  return `{ ${[...new Set(values)].join(", ")} }`;
}

function chain(name: string, lines: readonly string[]): string {
  return `  chain ${name} {\n${lines.map((line) => `    ${line}`).join("\n")}\n  }`;
}

function hook(name: string, at: string, priority: number, lines: readonly string[]): string {
  return chain(name, [`type filter hook ${at} priority ${priority}; policy accept;`, ...lines]);
}
