import { createServer, type ServerResponse } from "node:http";
import { rmSync } from "node:fs";
import { errorMessage } from "../failure";
import { hubState, type HubState } from "./hub-state";
import { Listener, type TargetHealth } from "./load-balancer";
import { MetadataService, metadataServer } from "./metadata-service";
import { serveNames } from "./name-server";
import { COUNTED_HOPS, METADATA_ADDRESS, metadataPort, NAME_SERVER_ADDRESS } from "./network";
import { Relay } from "./relay";

/**
 * What has to run inside a sandbox's network: metadata, names, load balancers and relays. The hall starts it in
 * the sandbox's namespace and tells it over a socket file what to serve. A second one, outside, is the other end of
 * relays to the host's loopback address.
 */
class Hub {
  #state: HubState = { machines: [], listeners: [], relays: [], names: {} };
  readonly #listeners = new Map<string, Listener>();
  readonly #relays = new Map<string, { plan: string; relay: Relay }>();
  readonly #watchers = new Set<ServerResponse>();

  /** Listens for metadata requests, one port for each number of hops. */
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

  /** Answers questions about names. */
  async serveNames(): Promise<void> {
    await serveNames(NAME_SERVER_ADDRESS, 53, () => this.#state.names);
  }

  /** Makes what is served be as told. */
  async become(state: HubState): Promise<void> {
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
      const listener = new Listener(plan, (health) => this.#tell(health));
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

  /** Keeps an answer open and writes a line for each change of health. */
  watch(outgoing: ServerResponse): void {
    outgoing.writeHead(200, { "content-type": "application/x-ndjson" });
    outgoing.flushHeaders();
    this.#watchers.add(outgoing);
    outgoing.once("close", () => this.#watchers.delete(outgoing));
  }

  #tell(health: TargetHealth): void {
    for (const watcher of this.#watchers) watcher.write(`${JSON.stringify(health)}\n`);
  }
}

async function main(control: string, inside: boolean): Promise<void> {
  const hub = new Hub();
  if (inside) await Promise.all([hub.serveMetadata(), hub.serveNames()]);
  let turn: Promise<unknown> = Promise.resolve();
  const server = createServer((incoming, outgoing) => {
    const reply = (status: number, value: unknown): void => {
      outgoing.writeHead(status, { "content-type": "application/json" });
      outgoing.end(JSON.stringify(value));
    };
    if (incoming.url === "/events") {
      hub.watch(outgoing);
      return;
    }
    if (incoming.method === "GET") {
      reply(200, hub.health());
      return;
    }
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (chunk: string) => (text += chunk));
    incoming.once("end", () => {
      turn = turn
        .then(() => hub.become(hubState.parse(JSON.parse(text))))
        .then(
          () => reply(200, {}),
          (error: unknown) => reply(500, { message: errorMessage(error) }),
        );
    });
  });
  rmSync(control, { force: true });
  server.listen(control);
}

const [, , control = "", role = ""] = process.argv;
void main(control, role === "inside").catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
