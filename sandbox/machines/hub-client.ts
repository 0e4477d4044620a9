import { request, type ClientRequest } from "node:http";
import path from "node:path";
import { z } from "zod";
import { waitFor } from "../deadline";
import { parseJson, textAt } from "../json";
import { isRunning, startProcess, type Lifetime, type ProcessIdentity } from "../process";
import { Failure } from "../failure";
import { run } from "./command";
import type { HubState } from "./hub-state";
import type { TargetHealth } from "./load-balancer";

const PROGRAM = path.join(__dirname, "hub.ts");

const targetHealth = z.object({
  loadBalancer: z.string(),
  listenerPort: z.number(),
  ip: z.string(),
  port: z.number(),
  health: z.enum(["initial", "healthy", "unhealthy"]),
});

/** Where a hub is and how it is started. */
export interface HubPlace {
  role: "inside" | "outside";
  /** Its socket file. */
  control: string;
  logFile: string;
  lifetime: Lifetime;
  /** The words before its command line that put it into the sandbox's namespace. */
  inside: (argv: readonly string[]) => string[];
}

/** Starts a hub and waits until it listens. */
export async function startHub(place: HubPlace): Promise<ProcessIdentity> {
  const program = [
    process.execPath,
    "--require",
    require.resolve("tsx/cjs"),
    PROGRAM,
    place.control,
    place.role,
  ];
  const [command = "", ...args] = place.role === "inside" ? place.inside(program) : program;
  const started = await startProcess({
    name: `hub (${place.role})`,
    command: path.isAbsolute(command)
      ? command
      : (await run(["sh", "-c", 'command -v "$0"', command])).trim(),
    args,
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
    logFile: place.logFile,
    lifetime: place.lifetime,
  });
  const client = new HubClient(place.control);
  await waitFor(
    `the sandbox's hub (log: ${place.logFile})`,
    async () => {
      if (!isRunning(started.identity)) return "it ended";
      await client.health();
      return true;
    },
    { timeoutMs: 30_000, intervalMs: 25 },
  );
  return started.identity;
}

/** Talks to a hub over its socket file. */
export class HubClient {
  #turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly control: string) {}

  /** Tells it all that it shall serve; one after another, so that the last word counts. */
  async tell(state: () => HubState): Promise<void> {
    const told = this.#turn.then(() => this.#send("PUT", "/state", JSON.stringify(state())));
    this.#turn = told.catch(() => {});
    await told;
  }

  /** The health of every target. */
  async health(): Promise<TargetHealth[]> {
    return z.array(targetHealth).parse(parseJson(await this.#send("GET", "/health")));
  }

  /** Hears of every change of health until the returned function is called. */
  watch(onHealth: (health: TargetHealth) => void): () => void {
    let rest = "";
    const outgoing: ClientRequest = request({ socketPath: this.control, path: "/events" }, (incoming) => {
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

  #send(method: string, place: string, body?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { socketPath: this.control, method, path: place, timeout: 15_000 },
        (incoming) => {
          let text = "";
          incoming.setEncoding("utf8");
          incoming.on("data", (chunk: string) => (text += chunk));
          incoming.once("error", reject);
          incoming.once("end", () => {
            if (incoming.statusCode === 200) resolve(text);
            else
              reject(new Failure(`The sandbox's hub refused: ${textAt(parseJson(text), "message") ?? text}`));
          });
        },
      );
      outgoing.once("timeout", () =>
        outgoing.destroy(new Failure("The sandbox's hub did not answer in 15 s.")),
      );
      outgoing.once("error", reject);
      outgoing.end(body);
    });
  }
}
