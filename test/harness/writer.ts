import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { waitFor } from "../../lib/deadline";
import { listAt, textAt } from "../../lib/json";

/** The cluster that is written to, by the API server that a kubeconfig names. */
export interface WrittenCluster {
  /** The file. */
  readonly kubeconfig: string;
  /** The command line that runs another one where the API can be reached as that file says. */
  command(argv: readonly string[]): string[];
  /** Reads objects by the arguments of `kubectl get`. */
  get(...args: string[]): Promise<unknown>;
}

/** What became of a series of writes. */
export interface Written {
  /** How many were answered with success. */
  readonly acknowledged: number;
  /** Of those, how many the cluster does not have. */
  readonly lost: number;
  /** How many got no answer, or another one. */
  readonly refused: number;
  /** The longest time without a write that succeeded, in milliseconds. */
  readonly maxGapMs: number;
}

/** Somebody who writes to a cluster while it is worked on, and counts. */
export class Writer {
  private printed = "";

  private constructor(
    private readonly cluster: WrittenCluster,
    private readonly series: string,
    private readonly child: ChildProcess,
  ) {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.printed += text));
  }

  /** Begins to write; the first write has succeeded when this is over. */
  static async start(cluster: WrittenCluster, series: string): Promise<Writer> {
    const argv = [process.execPath, join(__dirname, "write-on.js"), cluster.kubeconfig, series];
    const [command = "", ...args] = cluster.command(argv);
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    const writer = new Writer(cluster, series, child);
    await waitFor("the first write", () => writer.lines().some(({ ok }) => ok) || writer.printed, {
      timeoutMs: 120_000,
    });
    return writer;
  }

  /** How many writes were answered with success so far, and how many were not. */
  soFar(): { acknowledged: number; refused: number } {
    const lines = this.lines();
    const acknowledged = lines.filter(({ ok }) => ok).length;
    return { acknowledged, refused: lines.length - acknowledged };
  }

  /** Stops, and looks for everything that was acknowledged. */
  async stop(): Promise<Written> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.stdin?.end();
    await ended;
    const found = await this.cluster.get("configmaps", "--selector", `series=${this.series}`);
    const names = new Set(listAt(found, "items").map((item) => textAt(item, "metadata", "name")));
    const lines = this.lines();
    const acknowledged = lines.filter(({ ok }) => ok);
    const times = acknowledged.map(({ at }) => at);
    return {
      acknowledged: acknowledged.length,
      lost: acknowledged.filter(({ number }) => !names.has(`${this.series}-${number}`)).length,
      refused: lines.length - acknowledged.length,
      maxGapMs: Math.max(0, ...times.map((at, index) => at - (times[index - 1] ?? at))),
    };
  }

  private lines(): { number: number; at: number; ok: boolean }[] {
    return this.printed
      .split("\n")
      .slice(0, -1)
      .map((line) => {
        const [number, at, outcome] = line.split("\t");
        return { number: Number(number), at: Number(at), ok: outcome === "ok" };
      });
  }
}
