import { connect, createServer, type Server, type Socket } from "node:net";
import { checkTarget, HealthTally, type Health } from "./health";
import type { HealthCheck } from "../spec";

/** One listener of a load balancer with the addresses of its targets. */
export interface ListenerPlan {
  /** The load balancer's id, as in {@link TargetHealth}. */
  loadBalancer: string;
  addresses: readonly string[];
  port: number;
  healthCheck: HealthCheck;
  targets: readonly { ip: string; port: number }[];
}

/** The health of one target. */
export interface TargetHealth {
  loadBalancer: string;
  listenerPort: number;
  ip: string;
  port: number;
  health: Health;
}

interface Target {
  ip: string;
  port: number;
  tally: HealthTally;
  stop: () => void;
}

/** A listener of a network load balancer: forwards connections to its healthy targets, round robin. */
export class Listener {
  #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  #targets: Target[] = [];
  #next = 0;

  constructor(
    private plan: ListenerPlan,
    private readonly onHealth: (health: TargetHealth) => void,
  ) {
    this.update(plan);
  }

  /** Listens on every address. */
  async open(): Promise<void> {
    await Promise.all(
      this.plan.addresses.map(async (host) => {
        const server = createServer({ noDelay: true }, (socket) => this.#forward(socket));
        this.#servers.push(server);
        await new Promise<void>((resolve, reject) => {
          server.once("error", reject);
          server.listen({ host, port: this.plan.port }, resolve);
        });
      }),
    );
  }

  /** Changes targets or health check; connections and known health are kept. */
  update(plan: ListenerPlan): void {
    const sameCheck = JSON.stringify(plan.healthCheck) === JSON.stringify(this.plan.healthCheck);
    const before = this.#targets;
    this.plan = plan;
    this.#targets = plan.targets.map(({ ip, port }) => {
      const known = before.find((target) => target.ip === ip && target.port === port);
      return known !== undefined && sameCheck ? known : this.#watch(ip, port);
    });
    for (const target of before) if (!this.#targets.includes(target)) target.stop();
  }

  /** The health of all targets. */
  health(): TargetHealth[] {
    return this.#targets.map((target) => this.#healthOf(target));
  }

  /** Stops listening and checking, and closes all connections. */
  async close(): Promise<void> {
    for (const target of this.#targets) target.stop();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(
      this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
    this.#servers = [];
  }

  #watch(ip: string, port: number): Target {
    const { healthCheck } = this.plan;
    const tally = new HealthTally(healthCheck);
    let ended = false;
    let timer: NodeJS.Timeout | undefined;
    const target: Target = {
      ...{ ip, port, tally },
      stop: () => {
        ended = true;
        clearTimeout(timer);
      },
    };
    const check = async (): Promise<void> => {
      const success = await checkTarget(healthCheck, ip, port, this.plan.addresses[0]);
      if (ended) return;
      if (tally.record(success)) this.onHealth(this.#healthOf(target));
      timer = setTimeout(() => void check(), healthCheck.intervalMs);
    };
    void check();
    return target;
  }

  #healthOf({ ip, port, tally }: Target): TargetHealth {
    const { loadBalancer, port: listenerPort } = this.plan;
    return { loadBalancer, listenerPort, ip, port, health: tally.state };
  }

  #forward(client: Socket): void {
    const healthy = this.#targets.filter(({ tally }) => tally.state === "healthy");
    const target = healthy[this.#next++ % Math.max(1, healthy.length)];
    if (target === undefined) {
      client.resetAndDestroy();
      return;
    }
    // Targets see the address of the load balancer where the client came in, and their security groups decide by it.
    const localAddress = client.localAddress;
    const upstream = connect({
      ...{ host: target.ip, port: target.port, noDelay: true },
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    pair(client, upstream, this.#sockets);
  }
}

/** Connects two sockets with each other: data goes both ways, and both close together. */
export function pair(one: Socket, other: Socket, known: Set<Socket>): void {
  for (const [here, there] of [
    [one, other],
    [other, one],
  ] as const) {
    known.add(here);
    here.on("error", () => there.destroy());
    here.once("close", () => {
      known.delete(here);
      there.destroy();
    });
  }
  one.pipe(other);
  other.pipe(one);
}
