import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import { Agent, type AgentOptions } from "../../../controllers/agent/agent";
import { USERS, type UserObject } from "../../../controllers/agent/kinds";
import { CONTROLLERS } from "../../../controllers/agent/controllers";
import { readSettings } from "../../../controllers/agent/settings";
import type { HostUnits } from "../../../controllers/agent/host";
import { kubeconfigCredentials, Logger, type KubernetesObject } from "../../../controllers/runtime";
import type { CoordinatorFixture } from "../coordinator";
import type { HostFixture } from "./host-fixture";

/** How an agent is started in a test. */
export interface RunningAgentOptions extends AgentOptions {
  node: string;
  host: Pick<HostFixture, "root" | "at">;
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
  fixture: CoordinatorFixture,
  { node, host, controllers = "*", flags = [], ...options }: RunningAgentOptions,
): RunningAgent {
  const lines: string[] = [];
  const argv = [
    `--node=${node}`,
    `--host-root=${host.root}`,
    `--proc=${host.at("proc")}`,
    `--controllers=${controllers}`,
    `--server=${fixture.plane.endpoint}`,
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
      CONTROLLERS.map(({ name }) => name),
    ),
    CONTROLLERS,
    {
      credentials: kubeconfigCredentials(fixture.plane.kubeconfig),
      log: new Logger({ level: "debug", write: (line) => lines.push(line) }),
      ...options,
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
export async function makeUser(
  fixture: CoordinatorFixture,
  spec: Record<string, unknown>,
): Promise<UserObject> {
  const name = String(spec.name);
  const object: KubernetesObject & { spec: unknown } = { metadata: { name }, spec };
  return fixture.direct.create(USERS, object);
}

/** Runs what a host's systemd would run as processes of their own, which go on when the agent ends. */
export class ProcessUnits implements HostUnits {
  /** How often a program was started, by name. */
  readonly starts = new Map<string, number>();
  readonly #children = new Map<string, ChildProcess>();

  constructor(private readonly host: HostFixture) {}

  async start(name: string, argv: readonly string[]): Promise<void> {
    if (await this.isRunning(name)) return;
    this.starts.set(name, (this.starts.get(name) ?? 0) + 1);
    const inside = argv.map((word) => (word.startsWith("/var/lib/") ? this.host.at(word) : word));
    const [program = "", ...args] = inside;
    const child = spawn(program, args, { detached: true, stdio: "ignore" });
    this.#children.set(name, child);
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  }

  isRunning(name: string): Promise<boolean> {
    const child = this.#children.get(name);
    return Promise.resolve(child?.exitCode === null && child.signalCode === null);
  }

  async stop(name: string): Promise<void> {
    const child = this.#children.get(name);
    if (child?.pid === undefined || !(await this.isRunning(name))) return;
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
export function installerDirectoryOf(host: HostFixture, uid: string): string {
  return path.join(host.root, "var/lib/fleetwright/upgrades", uid);
}
