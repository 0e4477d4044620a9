import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { gatewayOf, linkName, macOf } from "./addresses";
import { attempt, run } from "./command";
import {
  BRIDGE,
  OUTSIDE_ADDRESS,
  OUTSIDE_GATEWAY,
  OUTSIDE_LINK,
  OUTSIDE_RANGE,
  PUBLIC_RANGE,
  routingRules,
} from "./routing";

const NAMESPACES = "/run/netns";

/** Where the metadata service answers. */
export const METADATA_ADDRESS = "169.254.169.254";

/** Where names are resolved, as in every VPC. */
export const NAME_SERVER_ADDRESS = "169.254.169.253";

/** Where machines reach what the host serves for them: the AWS API, and downloads. */
export const SERVICES_ADDRESS = "169.254.169.251";

/** `ip netns exec` shows the files of a namespace's folder here in place of those in /etc. */
const SETTINGS = "/etc/netns";

/** Senders give packets this many hops; those that arrive with fewer came through that many routers less. */
const FULL_TTL = 64;
/** A request from a machine itself made one hop; a pod's makes two. */
export const COUNTED_HOPS = [1, 2, 3, 4, 5, 6, 7, 8];

/** The port on which the metadata service hears requests that made this many hops. */
export function metadataPort(hops: number): number {
  return 8000 + hops;
}

/** The namespace that stands in for everything outside of a sandbox's network. */
export function outsideOf(network: string): string {
  return `${network}.outside`;
}

/**
 * The network of one sandbox: a network namespace with a bridge, which is the router of all subnets, and one namespace
 * a machine. Nothing of it is connected to the host, so that any number of sandboxes can have the same addresses.
 */
export class SandboxNetwork {
  #nft: readonly string[] = ["nft"];

  /** `key` is the name of the sandbox's namespace; those of machines begin with it. */
  constructor(readonly key: string) {}

  /** The file of the sandbox's namespace. */
  get namespace(): string {
    return `${NAMESPACES}/${this.key}`;
  }

  /** The file of a machine's namespace. */
  machineNamespace(machineId: string): string {
    return `${NAMESPACES}/${this.#nameOf(machineId)}`;
  }

  /** The command that runs another one in the sandbox's namespace. */
  inside(argv: readonly string[]): string[] {
    return ["ip", "netns", "exec", this.key, ...argv];
  }

  /** The command that runs another one outside: where a client is that is in no VPC. */
  outside(argv: readonly string[]): string[] {
    return ["ip", "netns", "exec", this.#outsideName, ...argv];
  }

  /** Makes the namespace, if it is not there. `nft` is a command that runs nft. */
  async create(nft: readonly string[]): Promise<void> {
    this.#nft = nft;
    const existing = await this.#existing();
    if (!existing.includes(this.key)) await this.#createRouter();
    if (!existing.includes(this.#outsideName)) await this.#createOutside();
    // Outside, nobody has a public address that leads nowhere.
    await this.#ip([`route replace ${PUBLIC_RANGE} via ${OUTSIDE_ADDRESS} dev ${OUTSIDE_LINK}`]);
  }

  async #createRouter(): Promise<void> {
    await resolveNames(this.key);
    await run(["ip", "netns", "add", this.key]);
    await this.#ip([
      "link set lo up",
      // Without an address of its own it takes that of a link, and another when that link goes: machines would then send to
      // nobody until they ask again, up to a minute later.
      `link add ${BRIDGE} address ${macOf(METADATA_ADDRESS)} type bridge forward_delay 0`,
      ...[METADATA_ADDRESS, NAME_SERVER_ADDRESS, SERVICES_ADDRESS].map(
        (address) => `addr add ${address}/32 dev ${BRIDGE}`,
      ),
      `link set ${BRIDGE} up`,
    ]);
    const switches = [
      "ip_forward=1",
      "conf.all.rp_filter=0",
      "conf.all.send_redirects=0",
      "conf.default.send_redirects=0",
    ];
    const script = switches
      .map((setting) => setting.split("="))
      .map(([name = "", value = ""]) => `echo ${value} > /proc/sys/net/ipv4/${name.replaceAll(".", "/")}`);
    await run(this.inside(["sh", "-euc", script.join("\n")]));
    await this.applyRules(metadataRules());
  }

  /** Applies rules of nftables in the sandbox's namespace, all of them or none. */
  async applyRules(rules: string): Promise<void> {
    await run(this.inside([...this.#nft, "-f", "-"]), { stdin: rules });
  }

  /** Lets the router answer in a subnet. */
  async addSubnet(cidr: string): Promise<void> {
    const { ip, prefix } = gatewayOf(cidr);
    await this.#ip([`addr replace ${ip}/${prefix} dev ${BRIDGE}`]);
  }

  /** Gives the router one more address, for a load balancer. */
  async addAddress(ip: string): Promise<void> {
    await this.#ip([`addr replace ${ip}/32 dev ${BRIDGE}`]);
  }

  /** Takes such an address away again. */
  async removeAddress(ip: string): Promise<void> {
    await attempt(["ip", "-n", this.key, "addr", "del", `${ip}/32`, "dev", BRIDGE]);
  }

  /** Makes the namespace of a machine, with its interface `eth0` and address; an old one is replaced. */
  async addMachine(machineId: string, privateIp: string, subnetCidr: string): Promise<void> {
    await this.removeMachine(machineId);
    await this.addSubnet(subnetCidr);
    const { ip: gateway, prefix } = gatewayOf(subnetCidr);
    const [name, link] = [this.#nameOf(machineId), linkName(machineId)];
    await run(["ip", "netns", "add", name]);
    await this.#ip([
      `link add ${link} type veth peer name eth0 address ${macOf(privateIp)} netns ${name}`,
      `link set ${link} master ${BRIDGE} up`,
    ]);
    await run(["ip", "-n", name, "-batch", "-"], {
      stdin: [
        "link set lo up",
        `addr add ${privateIp}/${prefix} dev eth0`,
        "link set eth0 up",
        `route add default via ${gateway}`,
        "",
      ].join("\n"),
    });
  }

  /** Removes the namespace and link of a machine, if they are there. */
  async removeMachine(machineId: string): Promise<void> {
    await attempt(["ip", "-n", this.key, "link", "del", linkName(machineId)]);
    await attempt(["ip", "netns", "del", this.#nameOf(machineId)]);
  }

  /** Sends what goes to a range of addresses to a machine. */
  async addRoute(cidr: string, via: string): Promise<void> {
    await this.#ip([`route replace ${cidr} via ${via} dev ${BRIDGE}`]);
  }

  /** Takes such a route away. */
  async removeRoute(cidr: string): Promise<void> {
    await attempt(["ip", "-n", this.key, "route", "del", cidr]);
  }

  /** Removes every namespace of this sandbox. */
  async remove(): Promise<void> {
    const names = (await this.#existing()).filter(
      (name) => name === this.key || name.startsWith(`${this.key}.`),
    );
    for (const name of names) await attempt(["ip", "netns", "del", name]);
    for (const name of [this.key, this.#outsideName])
      await rm(path.join(SETTINGS, name), { recursive: true, force: true });
  }

  async #createOutside(): Promise<void> {
    // Closed until somebody says what leads there.
    await this.applyRules(routingRules({ nat: [], publicAddresses: [] }));
    const name = this.#outsideName;
    const prefix = OUTSIDE_RANGE.split("/")[1] ?? "";
    await resolveNames(name);
    await run(["ip", "netns", "add", name]);
    await this.#ip([
      `link add ${OUTSIDE_LINK} type veth peer name eth0 netns ${name}`,
      `addr add ${OUTSIDE_GATEWAY}/${prefix} dev ${OUTSIDE_LINK}`,
      `link set ${OUTSIDE_LINK} up`,
    ]);
    await run(["ip", "-n", name, "-batch", "-"], {
      stdin: [
        "link set lo up",
        `addr add ${OUTSIDE_ADDRESS}/${prefix} dev eth0`,
        "link set eth0 up",
        `route add default via ${OUTSIDE_GATEWAY}`,
        "",
      ].join("\n"),
    });
  }

  get #outsideName(): string {
    return outsideOf(this.key);
  }

  #nameOf(machineId: string): string {
    return `${this.key}.${machineId}`;
  }

  async #existing(): Promise<string[]> {
    return readdir(NAMESPACES).catch(() => []);
  }

  async #ip(commands: readonly string[]): Promise<void> {
    await run(["ip", "-n", this.key, "-batch", "-"], { stdin: `${commands.join("\n")}\n` });
  }
}

/** Lets a namespace ask the sandbox's name server. */
async function resolveNames(namespace: string): Promise<void> {
  const settings = path.join(SETTINGS, namespace);
  await mkdir(settings, { recursive: true });
  await writeFile(path.join(settings, "resolv.conf"), `nameserver ${NAME_SERVER_ADDRESS}\n`);
}

/** Sorts requests for metadata by the hops they made: each number of hops arrives on a port of its own. */
export function metadataRules(): string {
  const rules = COUNTED_HOPS.map(
    (hops) =>
      `    ip daddr ${METADATA_ADDRESS} tcp dport 80 ip ttl ${FULL_TTL + 1 - hops} dnat to ${METADATA_ADDRESS}:${metadataPort(hops)}`,
  );
  return `table ip fleetwright {
  chain metadata {
    type nat hook prerouting priority dstnat;
${rules.join("\n")}
  }
}
`;
}
