import type { ServerResponse } from "node:http";
import { COUNTED_HOPS, METADATA_ADDRESS, metadataPort, NAME_SERVER_ADDRESS } from "../network";
import { Listener, type TargetHealth } from "./load-balancer";
import { MetadataService, metadataServer } from "./metadata-service";
import { serveNames } from "./name-server";
import { Relay } from "./relay";
import type { NetworkHelperState } from "./state";

/**
 * What has to run inside a sandbox's network: the instance metadata service, DNS, load balancers and relays. The machine
 * host starts it there and sends it the state to serve. A second one, outside, is the other end of the relays to the
 * host's loopback address.
 */
export class NetworkHelper {
  #state: NetworkHelperState = { machines: [], listeners: [], relays: [], names: {} };
  readonly #listeners = new Map<string, Listener>();
  readonly #relays = new Map<string, { plan: string; relay: Relay }>();
  readonly #watchers = new Set<ServerResponse>();

  /** Listens for metadata requests, on one port for each number of hops. */
  async serveMetadata(): Promise<void> {
    const service = new MetadataService();
    const machineAt = (ip: string) => this.#state.machines.find(({ privateIp }) => privateIp === ip);
    await Promise.all(
      COUNTED_HOPS.map(
        (hops) =>
          new Promise<void>((resolve, reject) => {
            const server = metadataServer(service, hops, machineAt);
            server.once("error", reject);
            server.listen(metadataPort(hops), METADATA_ADDRESS, resolve);
          }),
      ),
    );
  }

  /** Answers DNS queries. */
  async serveNames(): Promise<void> {
    await serveNames(NAME_SERVER_ADDRESS, 53, () => this.#state.names);
  }

  /** Opens, changes and closes listeners and relays until they match the state. */
  async apply(state: NetworkHelperState): Promise<void> {
    this.#state = state;
    const listeners = new Map(
      state.listeners.map((plan) => [`${plan.loadBalancer} ${plan.addresses.join(" ")} ${plan.port}`, plan]),
    );
    const relays = new Map(state.relays.map((plan) => [plan.id, plan]));
    for (const [name, listener] of this.#listeners) {
      if (listeners.has(name)) continue;
      this.#listeners.delete(name);
      await listener.close();
    }
    for (const [id, { plan, relay }] of this.#relays) {
      if (JSON.stringify(relays.get(id)) === plan) continue;
      this.#relays.delete(id);
      await relay.close();
    }
    for (const [name, plan] of listeners) {
      const known = this.#listeners.get(name);
      if (known !== undefined) {
        known.update(plan);
        continue;
      }
      const listener = new Listener(plan, (health) => this.#notify(health));
      this.#listeners.set(name, listener);
      await listener.open();
    }
    for (const plan of relays.values()) {
      if (this.#relays.has(plan.id)) continue;
      const relay = new Relay(plan);
      this.#relays.set(plan.id, { plan: JSON.stringify(plan), relay });
      await relay.open();
    }
  }

  /** The health of every target. */
  health(): TargetHealth[] {
    return [...this.#listeners.values()].flatMap((listener) => listener.health());
  }

  /** Keeps a response open and writes a line for each change of health. */
  watch(outgoing: ServerResponse): void {
    outgoing.writeHead(200, { "content-type": "application/x-ndjson" });
    outgoing.flushHeaders();
    this.#watchers.add(outgoing);
    outgoing.once("close", () => this.#watchers.delete(outgoing));
  }

  #notify(health: TargetHealth): void {
    for (const watcher of this.#watchers) watcher.write(`${JSON.stringify(health)}\n`);
  }
}
