import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import { Agent, type Surroundings } from "../../controllers/agent/agent";
import { USERS } from "../../controllers/agent/kinds";
import { PARTS } from "../../controllers/agent/parts";
import { readSettings } from "../../controllers/agent/settings";
import type { HostUnits } from "../../controllers/agent/upgrade";
import type { UserObject } from "../../controllers/agent/users/login";
import { kubeconfigCredentials, Logger, type KubernetesObject } from "../../controllers/runtime";
import type { CoordinatorWorld } from "../coordinator";
import type { TrialHost } from "./trial-host";

/** How an agent is started in a test. */
export interface AgentOptions extends Surroundings {
  node: string;
  host: Pick<TrialHost, "root" | "at">;
  controllers?: string;
  flags?: readonly string[];
}

/** An agent that runs in the test's own process. */
export interface RunningAgent {
  agent: Agent;
  lines: string[];
  stop(): Promise<void>;
}

/** Starts an agent on a folder that looks like a host. */
export function startAgent(
  world: CoordinatorWorld,
  { node, host, controllers = "*", flags = [], ...surroundings }: AgentOptions,
): RunningAgent {
  const lines: string[] = [];
  const argv = [
    `--node=${node}`,
    `--host-root=${host.root}`,
    `--proc=${host.at("proc")}`,
    `--controllers=${controllers}`,
    `--server=${world.plane.endpoint}`,
    "--metadata-url=none",
    "--port=0",
    "--host=127.0.0.1",
    "--qps=200",
    ...flags,
  ];
  const agent = new Agent(
    readSettings(
      argv,
      {},
      PARTS.map(({ name }) => name),
    ),
    PARTS,
    {
      credentials: kubeconfigCredentials(world.plane.kubeconfig),
      log: new Logger({ level: "debug", write: (line) => lines.push(line) }),
      ...surroundings,
    },
  );
  const end = new AbortController();
  const run = agent.run(end.signal);
  return {
    agent,
    lines,
    async stop() {
      end.abort();
      await run;
    },
  };
}

/** Makes a User. */
export async function makeUser(world: CoordinatorWorld, spec: Record<string, unknown>): Promise<UserObject> {
  const name = String(spec.name);
  const object: KubernetesObject & { spec: unknown } = { metadata: { name }, spec };
  return world.direct.create(USERS, object);
}

/** Runs what a host's systemd would run as processes of their own, which go on when the agent ends. */
export class ProcessUnits implements HostUnits {
  /** How often a program was started, by name. */
  readonly starts = new Map<string, number>();
  readonly #children = new Map<string, ChildProcess>();

  constructor(private readonly host: TrialHost) {}

  async start(name: string, argv: readonly string[]): Promise<void> {
    if (await this.runs(name)) return;
    this.starts.set(name, (this.starts.get(name) ?? 0) + 1);
    const inside = argv.map((word) => (word.startsWith("/var/lib/") ? this.host.at(word) : word));
    const [program = "", ...args] = inside;
    const child = spawn(program, args, { detached: true, stdio: "ignore" });
    this.#children.set(name, child);
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  }

  runs(name: string): Promise<boolean> {
    const child = this.#children.get(name);
    return Promise.resolve(child?.exitCode === null && child.signalCode === null);
  }

  async stop(name: string): Promise<void> {
    const child = this.#children.get(name);
    if (child?.pid === undefined || !(await this.runs(name))) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // The whole group, as systemd ends a service with all that it started.
    process.kill(-child.pid, "SIGKILL");
    await ended;
  }

  /** Ends everything. */
  async close(): Promise<void> {
    for (const name of this.#children.keys()) await this.stop(name);
  }
}

/** Where the agent keeps an upgrade on a host. */
export function workshopOf(host: TrialHost, uid: string): string {
  return path.join(host.root, "var/lib/fleetwright/upgrades", uid);
}
