import { spawn, type ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Failure } from "../../lib/failure";

/** What a follower needs to know. */
export interface Task {
  kubeconfig: string;
  namespace: string;
  resource: "secrets" | "configmaps";
  out: string;
}

/** How a follower is started. */
export interface Command {
  program: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** What a follower says when its first list is in. */
export interface Synced {
  objects: number;
  seconds: number;
  cpuSeconds: number;
}

/** A process that follows a resource, as the benchmark sees it. It ends when its standard input does. */
export class Follower {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #name: string;
  #complaints = "";

  constructor(name: string, { program, args, env = {} }: Command, task: Task, signal: AbortSignal) {
    this.#name = name;
    // One dash, two dashes: Go's flags take either.
    const given = Object.entries(task).flatMap(([key, value]: [string, string]) => [`--${key}`, value]);
    const child = spawn(program, [...args, ...given], {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      signal,
      killSignal: "SIGKILL",
    });
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.stderr.on("data", (chunk: Buffer) => {
      this.#complaints = (this.#complaints + chunk.toString()).slice(-2000);
    });
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Waits for the first list. */
  async synced(): Promise<Synced> {
    const { synced } = await this.#answer();
    if (!isSynced(synced)) throw this.#ended();
    return synced;
  }

  /** Asks for a number; undefined where the follower refuses. */
  async ask(question: "heap" | "count" | "cpu" | "seen" | "list"): Promise<number | undefined> {
    this.#child.stdin?.write(`${question}\n`);
    const value = (await this.#answer())[question];
    return typeof value === "number" ? value : undefined;
  }

  /** The most memory that was ever resident, in bytes, by the kernel's account. */
  async peakBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid ?? 0}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? NaN) * 1024;
  }

  /** Ends it and waits until it is gone. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => this.#child.once("exit", () => resolve()));
    this.#child.kill("SIGKILL");
    await gone;
  }

  async #answer(): Promise<Record<string, unknown>> {
    const line = await this.#lines.next();
    if (line.done === true) throw this.#ended();
    const parsed: unknown = JSON.parse(line.value);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  }

  #ended(): Failure {
    return new Failure(`${this.#name} ended before it answered. It said:\n${this.#complaints}`);
  }
}

function isSynced(value: unknown): value is Synced {
  return typeof value === "object" && value !== null && "objects" in value && "seconds" in value;
}
