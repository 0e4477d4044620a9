import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** What the command line of a follower says. */
export interface Task {
  kubeconfig: string;
  namespace: string;
  resource: "secrets" | "configmaps";
  /** Where to write what was seen. */
  out: string;
}

/** Reads `--name value` pairs; the benchmark is the only one that writes them. */
export function taskOf(argv: readonly string[]): Task {
  const valueOf = (name: string): string => argv[argv.indexOf(`--${name}`) + 1] ?? "";
  return {
    kubeconfig: valueOf("kubeconfig"),
    namespace: valueOf("namespace"),
    resource: valueOf("resource") === "configmaps" ? "configmaps" : "secrets",
    out: valueOf("out"),
  };
}

/** Notes when which version was seen, without disturbing what is measured. */
export class Sights {
  readonly #versions: string[] = [];
  readonly #times: number[] = [];
  noting = false;

  note(version: string | undefined): void {
    if (!this.noting || version === undefined) return;
    this.#versions.push(version);
    this.#times.push(Math.round((performance.timeOrigin + performance.now()) * 1000));
  }

  get count(): number {
    return this.#versions.length;
  }

  write(path: string): void {
    writeFileSync(
      path,
      this.#versions.map((version, index) => `${version} ${this.#times[index] ?? 0}\n`).join(""),
    );
  }
}

/** Bytes that are in use after a collection: the heap and what it holds outside. */
export function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error("Run this with --expose-gc.");
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Processor seconds of this process. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Runs a follower until it is synced, and then answers what the benchmark asks. */
export async function follow(
  sights: Sights,
  { out }: Task,
  start: () => Promise<{ objects: number; list: () => number }>,
): Promise<void> {
  const before = heapBytes();
  const cpuBefore = cpuSeconds();
  const startedAt = performance.now();
  const { objects, list } = await start();
  const seconds = (performance.now() - startedAt) / 1000;
  say({ synced: { objects, seconds, cpuSeconds: cpuSeconds() - cpuBefore } });
  sights.noting = true;
  const answers: Record<string, () => object> = {
    heap: () => ({ heap: heapBytes() - before }),
    count: () => ({ count: sights.count }),
    cpu: () => ({ cpu: cpuSeconds() }),
    list: () => {
      try {
        return { list: list() };
      } catch (error) {
        return { refusal: error instanceof Error ? error.message : String(error) };
      }
    },
    seen: () => {
      sights.write(out);
      return { seen: sights.count };
    },
  };
  for await (const question of createInterface({ input: process.stdin })) say(answers[question]?.() ?? {});
  process.exit(0);
}

function say(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
