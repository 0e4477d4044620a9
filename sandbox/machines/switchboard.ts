import { rm, mkdir } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../deadline";
import { isRunning, killProcess } from "../process";
import { Failure } from "../failure";
import { HubClient, startHub } from "./hub-client";
import { gatePlan, hubPlan } from "./hub-plan";
import type { TargetHealth } from "./load-balancer";
import type { SandboxNetwork } from "./network";
import { without, type HallRecord } from "./record";
import { forwardSpec, loadBalancerSpec, routeSpec, type ForwardSpec, type LoadBalancerSpec } from "./spec";
import { Turns } from "./turns";

/** What a switchboard needs of its hall. */
export interface SwitchboardHome {
  dir: string;
  key: string;
  network: SandboxNetwork;
  record: () => HallRecord;
  save: () => void;
}

/** The load balancers, doors and routes of a sandbox, and the processes that serve them and the metadata. */
export class Switchboard {
  readonly #home: SwitchboardHome;
  readonly #turns = new Turns();
  /** Short, since the path of a socket file has at most 107 characters. */
  readonly #sockets: string;
  readonly #clients: Record<"hub" | "gate", HubClient>;

  constructor(home: SwitchboardHome) {
    this.#home = home;
    this.#sockets = path.join("/run/fleetwright", home.key);
    this.#clients = { hub: new HubClient(this.#control("hub")), gate: new HubClient(this.#control("gate")) };
  }

  /** Whether the processes of an earlier run are there. */
  get isServed(): boolean {
    return this.#runs("hub");
  }

  /** Gives the router its addresses and routes, and starts the processes that are missing. */
  async open(): Promise<void> {
    const { network, record } = this.#home;
    await mkdir(this.#sockets, { recursive: true, mode: 0o700 });
    for (const { spec } of Object.values(record().machines)) await network.addSubnet(spec.subnetCidr);
    for (const spec of Object.values(record().loadBalancers)) await this.#addAddresses(spec);
    for (const { cidr, machineId } of record().routes) await this.#addRoute(cidr, machineId);
    await this.#start();
    await this.tell();
  }

  /** Makes a load balancer, or makes an existing one be as given. */
  async balance(spec: LoadBalancerSpec): Promise<void> {
    const checked = loadBalancerSpec.parse(spec);
    await this.#change(async (record) => {
      const before = record.loadBalancers[checked.id]?.addresses ?? [];
      record.loadBalancers[checked.id] = checked;
      this.#home.save();
      await this.#addAddresses(checked);
      await this.tell();
      const kept = new Set(checked.addresses.map(({ ip }) => ip));
      for (const { ip } of before) if (!kept.has(ip)) await this.#home.network.removeAddress(ip);
    });
  }

  /** Removes a load balancer. */
  async unbalance(id: string): Promise<void> {
    await this.#change(async (record) => {
      const addresses = record.loadBalancers[id]?.addresses ?? [];
      record.loadBalancers = without(record.loadBalancers, id);
      this.#home.save();
      await this.tell();
      for (const { ip } of addresses) await this.#home.network.removeAddress(ip);
    });
  }

  /** The load balancers. */
  balancers(): LoadBalancerSpec[] {
    return Object.values(this.#home.record().loadBalancers);
  }

  /** The health of every target of every load balancer. */
  async health(): Promise<TargetHealth[]> {
    return this.#clients.hub.health();
  }

  /** Hears of every change of a target's health until the returned function is called. */
  onHealth(listener: (health: TargetHealth) => void): () => void {
    return this.#clients.hub.watch(listener);
  }

  /** Opens a door between the sandbox's network and the host's loopback address, or within one of them. */
  async forward(spec: ForwardSpec): Promise<void> {
    const checked = forwardSpec.parse(spec);
    for (const { side, host } of [checked.listen, checked.target]) {
      if (side === "outside" && !host.startsWith("127.")) {
        throw new Failure(
          `The door ${spec.id} names ${host} of the host's network: only loopback addresses are allowed there.`,
        );
      }
    }
    await this.#change(async (record) => {
      record.forwards[checked.id] = checked;
      this.#home.save();
      await this.#start();
      await this.tell();
    });
  }

  /** Closes such a door. */
  async unforward(id: string): Promise<void> {
    await this.#change(async (record) => {
      record.forwards = without(record.forwards, id);
      this.#home.save();
      await this.tell();
    });
  }

  /** Sends what goes to a range of addresses to a machine, like a route of a VPC to an instance. */
  async route(cidr: string, machineId: string): Promise<void> {
    const checked = routeSpec.parse({ cidr, machineId });
    await this.#change(async (record) => {
      record.routes = [...record.routes.filter((other) => other.cidr !== cidr), checked];
      this.#home.save();
      await this.#addRoute(cidr, machineId);
    });
  }

  /** Removes the routes to a machine. */
  async unroute(machineId: string): Promise<void> {
    await this.#change(async (record) => {
      const gone = record.routes.filter((route) => route.machineId === machineId);
      record.routes = record.routes.filter((route) => !gone.includes(route));
      this.#home.save();
      for (const { cidr } of gone) await this.#home.network.removeRoute(cidr);
    });
  }

  /** Tells the processes all that they shall serve. */
  async tell(): Promise<void> {
    const { record } = this.#home;
    // The outer ends of doors listen first.
    if (this.#runs("gate")) await this.#clients.gate.tell(() => gatePlan(record(), this.#sockets));
    await this.#clients.hub.tell(() => hubPlan(record(), this.#sockets));
  }

  /** Ends the processes. */
  async close(): Promise<void> {
    const record = this.#home.record();
    for (const name of ["hub", "gate"] as const) {
      const identity = record[name];
      if (identity !== undefined) {
        killProcess(identity);
        await waitFor(`the ${name} (process ${identity.pid}) to end`, () => !isRunning(identity), {
          timeoutMs: 10_000,
        });
      }
    }
    delete record.hub;
    delete record.gate;
    this.#home.save();
    await rm(this.#sockets, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const { dir, record, network } = this.#home;
    const inside = (argv: readonly string[]): string[] => network.inside(argv);
    const needed =
      Object.keys(record().forwards).length > 0 ? (["hub", "gate"] as const) : (["hub"] as const);
    for (const name of needed) {
      if (this.#runs(name)) continue;
      record()[name] = await startHub({
        ...{ inside, control: this.#control(name), lifetime: record().lifetime },
        role: name === "hub" ? "inside" : "outside",
        logFile: path.join(dir, `${name}.log`),
      });
      this.#home.save();
    }
  }

  async #addAddresses(spec: LoadBalancerSpec): Promise<void> {
    for (const { ip, subnetCidr } of spec.addresses) {
      await this.#home.network.addSubnet(subnetCidr);
      await this.#home.network.addAddress(ip);
    }
  }

  async #addRoute(cidr: string, machineId: string): Promise<void> {
    const machine = this.#home.record().machines[machineId];
    if (machine === undefined)
      throw new Failure(`There is no machine ${machineId} for the route to ${cidr}.`);
    await this.#home.network.addRoute(cidr, machine.spec.privateIp);
  }

  async #change(work: (record: HallRecord) => Promise<void>): Promise<void> {
    await this.#turns.take("all", () => work(this.#home.record()));
  }

  #runs(name: "hub" | "gate"): boolean {
    const identity = this.#home.record()[name];
    return identity !== undefined && isRunning(identity);
  }

  #control(name: "hub" | "gate"): string {
    return path.join(this.#sockets, `${name}.sock`);
  }
}
