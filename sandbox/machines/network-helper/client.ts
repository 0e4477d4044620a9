// Starts a network helper (load balancers, metadata, names) and talks to it over its socket.
import { request, type ClientRequest } from "node:http";
import path from "node:path";
import { z } from "zod";
import { waitFor } from "../../../lib/deadline";
import { isRunning, startProcess, type Lifetime, type ProcessIdentity } from "../../../lib/process";
import { run } from "../command";
import { callControlSocket } from "../control-socket";
import { KeyedMutex } from "../../../lib/keyed-mutex";
import type { TargetHealth } from "./load-balancer";
import type { NetworkHelperState } from "./state";

const NAME = "The sandbox's network helper";
const PROGRAM = path.join(__dirname, "main.ts");

const targetHealth = z.object({
  loadBalancer: z.string(),
  listenerPort: z.number(),
  ip: z.string(),
  port: z.number(),
  health: z.enum(["initial", "healthy", "unhealthy"]),
});

/** How a network helper is started. */
export interface NetworkHelperOptions {
  /** Whether it runs inside the sandbox's network namespace or in the host's. */
  role: "inside" | "outside";
  /** Its control socket. */
  socket: string;
  logFile: string;
  lifetime: Lifetime;
  /** The command line that runs another one in the sandbox's network namespace. */
  inside: (argv: readonly string[]) => string[];
}

/** Starts a network helper and waits until it listens. */
export async function startNetworkHelper(options: NetworkHelperOptions): Promise<ProcessIdentity> {
  const { role, socket, logFile, lifetime } = options;
  const program = [process.execPath, "--require", require.resolve("tsx/cjs"), PROGRAM, socket, role];
  const [command = "", ...args] = role === "inside" ? options.inside(program) : program;
  const started = await startProcess({
    name: `network helper (${role})`,
    command: path.isAbsolute(command)
      ? command
      : (await run(["sh", "-c", 'command -v "$0"', command])).trim(),
    args,
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
    logFile,
    lifetime,
  });
  const client = new NetworkHelperClient(socket);
  await waitFor(
    `the sandbox's network helper (log: ${logFile})`,
    async () => {
      if (!isRunning(started.identity)) return "its process ended";
      await client.health();
      return true;
    },
    { timeoutMs: 30_000, intervalMs: 25 },
  );
  return started.identity;
}

/** Controls a network helper through its control socket. */
export class NetworkHelperClient {
  readonly #mutex = new KeyedMutex();

  constructor(private readonly socket: string) {}

  /** Sends the whole state to serve. Calls are sent one after another, so that the last one wins. */
  async setState(state: () => NetworkHelperState): Promise<void> {
    await this.#mutex.runExclusive("state", () =>
      callControlSocket(NAME, this.socket, { method: "PUT", path: "/state", body: state() }),
    );
  }

  /** The health of every target. */
  async health(): Promise<TargetHealth[]> {
    const answer = await callControlSocket(NAME, this.socket, { method: "GET", path: "/health" });
    return z.array(targetHealth).parse(answer);
  }

  /** Calls back for every change of health until the returned function is called. */
  watch(onHealth: (health: TargetHealth) => void): () => void {
    let rest = "";
    const outgoing: ClientRequest = request({ socketPath: this.socket, path: "/events" }, (incoming) => {
      incoming.setEncoding("utf8");
      incoming.on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) onHealth(targetHealth.parse(JSON.parse(line)));
      });
      incoming.on("error", () => {});
    });
    outgoing.on("error", () => {});
    outgoing.on("socket", (socket) => socket.unref());
    outgoing.end();
    return () => outgoing.destroy();
  }
}
