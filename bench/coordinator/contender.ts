import { spawn, type ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { bundleCoordinator } from "../../scripts/images/programs";
import { NODE_OPTIONS } from "../../controllers/coordinator/node-options";
import { Failure } from "../../lib/failure";

/** Who takes part: the coordinator as it is deployed, and the same work done on client-go. */
export const CONTENDERS = ["ours", "clientGo"] as const;
/** One who takes part. */
export type ContenderName = (typeof CONTENDERS)[number];
/** What people call them. */
export const TITLES: Readonly<Record<ContenderName, string>> = { ours: "ours", clientGo: "client-go" };

/** Keys that each works on at once. */
export const CONCURRENCY = 16;

/** How contenders are started. */
export class Contenders {
  private constructor(
    readonly bundle: string,
    readonly reference: string,
    readonly kubeconfig: string,
  ) {}

  /** Bundles the coordinator into the folder. */
  static async prepare(folder: string, reference: string, kubeconfig: string): Promise<Contenders> {
    const bundle = path.join(folder, "coordinator.js");
    await bundleCoordinator(bundle);
    return new Contenders(bundle, reference, kubeconfig);
  }

  /** Starts the coordinator, leader election and all. Its own limit of requests is out of the way, as client-go's is. */
  ours(controllers: string, ...flags: string[]): Contender {
    const args = [
      ...NODE_OPTIONS,
      this.bundle,
      ...[
        "--kubeconfig",
        this.kubeconfig,
        "--controllers",
        controllers,
        "--concurrency",
        String(CONCURRENCY),
      ],
      ...["--port=0", "--host=127.0.0.1", "--qps=100000", "--burst=100000", ...flags],
    ];
    return new Contender("ours", process.execPath, args, (line) => line.includes('"This process leads."'));
  }

  /** Starts one of the reference's controllers. */
  clientGo(what: "registries" | "labels" | "upgrade", ...flags: string[]): Contender {
    const args = [what, "--kubeconfig", this.kubeconfig, "--workers", String(CONCURRENCY), ...flags];
    return new Contender("clientGo", this.reference, args, (line) => line.includes('"ready"'));
  }
}

/** A process that does the work. */
export class Contender {
  /** When it was started, on the clock of `performance.now()`. */
  readonly startedAt = performance.now();
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #exit: Promise<void>;
  #said = "";

  constructor(
    readonly name: ContenderName,
    program: string,
    args: readonly string[],
    isReady: (line: string) => boolean,
  ) {
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#exit = new Promise((resolve) => child.once("close", () => resolve()));
    this.#ready = new Promise((resolve, reject) => {
      const hear = (chunk: Buffer): void => {
        this.#said = (this.#said + chunk.toString()).slice(-20_000);
        if (isReady(this.#said)) resolve();
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.once("error", reject);
      child.once("close", () => reject(new Failure(`${TITLES[name]} ended too early:\n${this.#said}`)));
    });
    this.#ready.catch(() => {});
  }

  /** Its caches are filled and it may work. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** What it said last. */
  get said(): string {
    return this.#said;
  }

  /** Resolves when it has ended. */
  get ended(): Promise<void> {
    return this.#exit;
  }

  /** Kills it as a machine that loses its power does. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exit;
  }

  /** Memory that is resident now, and the most that ever was, in bytes, by the kernel's account. */
  async memory(): Promise<{ resident: number; peak: number }> {
    const status = await readFile(`/proc/${this.#child.pid ?? 0}/status`, "utf8");
    const of = (field: string): number =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? NaN) * 1024;
    return { resident: of("VmRSS"), peak: of("VmHWM") };
  }

  /** Processor seconds so far. */
  async cpuSeconds(): Promise<number> {
    const fields = (await readFile(`/proc/${this.#child.pid ?? 0}/stat`, "utf8")).split(") ")[1]?.split(" ");
    // Ticks of a hundredth of a second, in user and in kernel mode.
    return (Number(fields?.[11]) + Number(fields?.[12])) / 100;
  }
}
