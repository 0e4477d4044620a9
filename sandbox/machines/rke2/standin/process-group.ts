import { setTimeout as pause } from "node:timers/promises";
import { errorMessage } from "../../../../lib/failure";
import { startProcess, stopProcess, type ProcessEnd, type StartedProcess } from "../../../../lib/process";
import { log } from "./log";

/** A program that runs as long as the service does. */
export interface Program {
  name: string;
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  logFile: string;
  /** Asked when it ended by itself: whether it is started again. @default yes */
  shouldRestart?: (end: ProcessEnd) => Promise<boolean>;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const PAUSE_MS = 1000;

/**
 * The programs of a node. They are children of the service and end with it, even if it is killed. RKE2 runs etcd, the
 * API server, the controller manager, the scheduler and kube-proxy as static pods of the kubelet instead, which go on
 * without the service; only containerd and the kubelet are its children.
 */
export class ProcessGroup {
  readonly #running = new Map<string, StartedProcess>();
  readonly #stopped = new Set<string>();

  /** Starts a program and starts it again whenever it ends. */
  async start(post: Program): Promise<void> {
    this.#stopped.delete(post.name);
    const started = await startProcess({
      ...{ name: post.name, command: post.command, args: post.args, logFile: post.logFile },
      env: { PATH, HOME: "/root", ...post.env },
      lifetime: "owned",
    });
    this.#running.set(post.name, started);
    log("info", `Running ${post.name} (log: ${post.logFile})`);
    void started.ended.then((end) => this.#ended(post, started, end));
  }

  /** Stops a program for good. */
  async stop(name: string, graceMs = 5_000): Promise<void> {
    this.#stopped.add(name);
    const started = this.#running.get(name);
    this.#running.delete(name);
    if (started !== undefined) await stopProcess(name, started.identity, graceMs);
  }

  /** Stops programs group after group. */
  async stopAll(order: readonly (readonly string[])[], graceMs: number): Promise<void> {
    for (const names of order) await Promise.all(names.map((name) => this.stop(name, graceMs)));
  }

  async #ended(post: Program, started: StartedProcess, end: ProcessEnd): Promise<void> {
    if (this.#running.get(post.name) !== started || this.#stopped.has(post.name)) return;
    this.#running.delete(post.name);
    log(
      "error",
      `${post.name} exited: ${end.signal ?? `exit code ${end.code ?? "unknown"}`} (log: ${post.logFile})`,
    );
    if (post.shouldRestart !== undefined && !(await post.shouldRestart(end))) return;
    await pause(PAUSE_MS);
    if (this.#stopped.has(post.name)) return;
    await this.start(post).catch((error: unknown) => log("error", errorMessage(error)));
  }
}
