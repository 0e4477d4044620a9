// Load balancers, port-forwards and routes of a sandbox, served by two network helpers.
import { rm, mkdir } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../../lib/deadline";
import { isRunning, killProcess } from "../../lib/process";
import { Failure } from "../../lib/failure";
import { firewallRules, firewallSpec, type FirewallSpec } from "./firewall";
import { routingRules, routingSpec, type OpenPort, type RoutingSpec } from "./routing";
import { NetworkHelperClient, startNetworkHelper } from "./network-helper/client";
import { outsidePlan, insidePlan } from "./network-helper/plan";
import type { TargetHealth } from "./network-helper/load-balancer";
import { NAME_SERVER_ADDRESS, type SandboxNetwork } from "./network";
import { without, type HostRecord } from "./record";
import {
  portForwardSpec,
  loadBalancerSpec,
  routeSpec,
  type PortForwardSpec,
  type LoadBalancerSpec,
} from "./spec";
import { KeyedMutex } from "../../lib/keyed-mutex";

type Role = "inside" | "outside";
const ROLES = ["inside", "outside"] as const;
const RECORD_KEY = { inside: "insideHelper", outside: "outsideHelper" } as const;

/** What network services need of their machine host. */
export interface NetworkServicesContext {
  dir: string;
  key: string;
  network: SandboxNetwork;
  record: () => HostRecord;
  save: () => void;
}

/** The load balancers, port-forwards and routes of a sandbox, and the network helpers that serve them. */
export class NetworkServices {
  readonly #context: NetworkServicesContext;
  readonly #mutex = new KeyedMutex();
  /** Short, since the path of a socket file has at most 107 characters. */
  readonly #sockets: string;
  readonly #clients: Record<Role, NetworkHelperClient>;
  readonly #rules = new Map<string, string>();

  constructor(context: NetworkServicesContext) {
    this.#context = context;
    this.#sockets = path.join("/run/fleetwright", context.key);
    this.#clients = {
      inside: new NetworkHelperClient(this.#socket("inside")),
      outside: new NetworkHelperClient(this.#socket("outside")),
    };
  }

  /** Whether the network helpers of an earlier run still run. */
  get isServed(): boolean {
    return this.#runs("inside");
  }

  /** Gives the router its addresses and routes, and starts the network helpers that do not run. */
  async open(): Promise<void> {
    const { network, record } = this.#context;
    await mkdir(this.#sockets, { recursive: true, mode: 0o700 });
    for (const { spec } of Object.values(record().machines)) await network.addSubnet(spec.subnetCidr);
    for (const spec of Object.values(record().loadBalancers)) await this.#addAddresses(spec);
    for (const { cidr, machineId } of record().routes) await this.#addRoute(cidr, machineId);
    await this.#start();
    await this.update();
  }

  /** Lets machines and load balancers be reached as security groups say. */
  async setFirewall(spec: FirewallSpec): Promise<void> {
    await this.#apply("firewall", firewallRules(firewallSpec.parse(spec)));
  }

  /** Lets traffic in and out as route tables and gateways say; of the router itself, what is `open`. */
  async setRouting(spec: RoutingSpec, open: readonly OpenPort[] = []): Promise<void> {
    const names = { address: NAME_SERVER_ADDRESS, port: 53, protocol: "udp" } as const;
    await this.#apply("routing", routingRules(routingSpec.parse(spec), [names, ...open]));
  }

  async #apply(kind: "firewall" | "routing", rules: string): Promise<void> {
    await this.#mutex.runExclusive(kind, async () => {
      if (rules === this.#rules.get(kind)) return;
      await this.#context.network.applyRules(rules);
      this.#rules.set(kind, rules);
    });
  }

  /** Creates or changes a load balancer. */
  async putLoadBalancer(spec: LoadBalancerSpec): Promise<void> {
    const checked = loadBalancerSpec.parse(spec);
    await this.#change(async (record) => {
      const before = record.loadBalancers[checked.id]?.addresses ?? [];
      record.loadBalancers[checked.id] = checked;
      this.#context.save();
      await this.#addAddresses(checked);
      await this.update();
      const kept = new Set(checked.addresses.map(({ ip }) => ip));
      for (const { ip } of before) if (!kept.has(ip)) await this.#context.network.removeAddress(ip);
    });
  }

  /** Removes a load balancer. */
  async removeLoadBalancer(id: string): Promise<void> {
    await this.#change(async (record) => {
      const addresses = record.loadBalancers[id]?.addresses ?? [];
      record.loadBalancers = without(record.loadBalancers, id);
      this.#context.save();
      await this.update();
      for (const { ip } of addresses) await this.#context.network.removeAddress(ip);
    });
  }

  /** The load balancers. */
  loadBalancers(): LoadBalancerSpec[] {
    return Object.values(this.#context.record().loadBalancers);
  }

  /** The health of every target of every load balancer. */
  async health(): Promise<TargetHealth[]> {
    return this.#clients.inside.health();
  }

  /** Calls back for every change of a target's health until the returned function is called. */
  onHealth(listener: (health: TargetHealth) => void): () => void {
    return this.#clients.inside.watch(listener);
  }

  /** Forwards a port between the sandbox's network and the host's loopback address, or within one of them. */
  async forwardPort(spec: PortForwardSpec): Promise<void> {
    const checked = portForwardSpec.parse(spec);
    for (const { side, host } of [checked.listen, checked.target]) {
      if (side === "outside" && !host.startsWith("127.")) {
        throw new Failure(
          `The port-forward ${spec.id} uses ${host} in the host's network: only loopback addresses are allowed there.`,
        );
      }
    }
    await this.#change(async (record) => {
      record.forwards[checked.id] = checked;
      this.#context.save();
      await this.#start();
      await this.update();
    });
  }

  /** Removes a port-forward. */
  async removePortForward(id: string): Promise<void> {
    await this.#change(async (record) => {
      record.forwards = without(record.forwards, id);
      this.#context.save();
      await this.update();
    });
  }

  /** Routes a range of addresses to a machine, like a VPC's route to an instance. */
  async addRoute(cidr: string, machineId: string): Promise<void> {
    const checked = routeSpec.parse({ cidr, machineId });
    await this.#change(async (record) => {
      record.routes = [...record.routes.filter((other) => other.cidr !== cidr), checked];
      this.#context.save();
      await this.#addRoute(cidr, machineId);
    });
  }

  /** Removes the routes to a machine. */
  async removeRoutes(machineId: string): Promise<void> {
    await this.#change(async (record) => {
      const gone = record.routes.filter((route) => route.machineId === machineId);
      record.routes = record.routes.filter((route) => !gone.includes(route));
      this.#context.save();
      for (const { cidr } of gone) await this.#context.network.removeRoute(cidr);
    });
  }

  /** Sends the network helpers the state to serve. */
  async update(): Promise<void> {
    const { record } = this.#context;
    // The outer ends of port-forwards listen first.
    if (this.#runs("outside"))
      await this.#clients.outside.setState(() => outsidePlan(record(), this.#sockets));
    await this.#clients.inside.setState(() => insidePlan(record(), this.#sockets));
  }

  /** Ends the network helpers. */
  async close(): Promise<void> {
    const record = this.#context.record();
    for (const role of ROLES) {
      const identity = record[RECORD_KEY[role]];
      if (identity === undefined) continue;
      killProcess(identity);
      await waitFor(`the network helper (process ${identity.pid}) to end`, () => !isRunning(identity), {
        timeoutMs: 10_000,
      });
    }
    delete record.insideHelper;
    delete record.outsideHelper;
    this.#context.save();
    await rm(this.#sockets, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const { dir, record, network } = this.#context;
    const inside = (argv: readonly string[]): string[] => network.inside(argv);
    const needed = Object.keys(record().forwards).length > 0 ? ROLES : (["inside"] as const);
    for (const role of needed) {
      if (this.#runs(role)) continue;
      record()[RECORD_KEY[role]] = await startNetworkHelper({
        ...{ role, inside, socket: this.#socket(role), lifetime: record().lifetime },
        logFile: path.join(dir, `network-helper-${role}.log`),
      });
      this.#context.save();
    }
  }

  async #addAddresses(spec: LoadBalancerSpec): Promise<void> {
    for (const { ip, subnetCidr } of spec.addresses) {
      await this.#context.network.addSubnet(subnetCidr);
      await this.#context.network.addAddress(ip);
    }
  }

  async #addRoute(cidr: string, machineId: string): Promise<void> {
    const machine = this.#context.record().machines[machineId];
    if (machine === undefined)
      throw new Failure(`There is no machine ${machineId} for the route to ${cidr}.`);
    await this.#context.network.addRoute(cidr, machine.spec.privateIp);
  }

  async #change(work: (record: HostRecord) => Promise<void>): Promise<void> {
    await this.#mutex.runExclusive("all", () => work(this.#context.record()));
  }

  #runs(role: Role): boolean {
    const identity = this.#context.record()[RECORD_KEY[role]];
    return identity !== undefined && isRunning(identity);
  }

  #socket(role: Role): string {
    return path.join(this.#sockets, `${role}.sock`);
  }
}
