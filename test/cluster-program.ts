import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import { isObject } from "../sandbox/json";
import { installProviders } from "../sandbox/providers";
import { Engine, type Outcome } from "./engine";

/** A change that a preview shows. */
export interface PlannedStep {
  readonly op: string;
  readonly type: string;
  readonly name: string;
}

/** The program `cluster` with an engine of its own: the stack's settings are the cluster. */
export class ClusterProgram {
  private constructor(
    readonly engine: Engine,
    readonly folder: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** Makes a stack for an AWS API. `inside` puts the engine into a sandbox's network. */
  static async open(
    environment: Readonly<Record<string, string>>,
    inside?: (argv: readonly string[]) => readonly string[],
  ): Promise<ClusterProgram> {
    const engine = await Engine.open(inside === undefined ? {} : { inside });
    await installProviders(engine.home, ["aws", "command", "tls"]);
    const program = new ClusterProgram(engine, engine.program("cluster"), environment);
    await program.run(["stack", "init", "dev"]);
    return program;
  }

  /** Sets the arguments of the cluster, and its name. */
  async describe(args: object, name = "main"): Promise<void> {
    const file = join(this.folder, "Pulumi.dev.yaml");
    const settings: unknown = load(await readFile(file, "utf8").catch(() => "{}"));
    const config = { "cluster:name": name, "cluster:args": args };
    await writeFile(file, dump({ ...(isObject(settings) ? settings : {}), config }));
  }

  /** Runs `pulumi`; fails unless it succeeds. Gives what it printed. */
  run(args: readonly string[]): Promise<string> {
    return this.engine.expect(args, this.folder, this.environment);
  }

  /** Runs `pulumi` however it ends. */
  attempt(args: readonly string[]): Promise<Outcome> {
    return this.engine.pulumi(args, this.folder, this.environment);
  }

  /** What an update would do. */
  async preview(): Promise<PlannedStep[]> {
    const digest: unknown = JSON.parse(await this.run(["preview", "--json"]));
    const steps = isObject(digest) && Array.isArray(digest.steps) ? (digest.steps as unknown[]) : [];
    return steps.filter(isObject).map(({ op, urn }) => {
      const [, , types = "", name = ""] = String(urn).split("::");
      return { op: String(op), type: types.split("$").at(-1) ?? "", name };
    });
  }

  /** Runs an operation and counts what it did, by kind. */
  async changes(operation: "up" | "refresh" | "destroy"): Promise<Record<string, number>> {
    const { code, stdout, stderr } = await this.attempt([operation, "--yes", "--skip-preview", "--json"]);
    const events = stdout
      .split("\n")
      .map((line): unknown => (line.startsWith("{") ? JSON.parse(line) : undefined))
      .filter(isObject);
    if (code !== 0) {
      const errors = events.map(({ diagnosticEvent }) => diagnosticEvent).filter(isObject);
      const messages = errors
        .filter(({ severity }) => severity === "error")
        .map(({ message }) => String(message));
      throw new Error(`pulumi ${operation} ended with ${code}:\n${messages.join("")}${stderr}`);
    }
    const summary = events
      .map(({ summaryEvent }) => summaryEvent)
      .filter(isObject)
      .at(-1);
    return isObject(summary?.resourceChanges) ? (summary.resourceChanges as Record<string, number>) : {};
  }

  /** The stack's outputs, secrets too. */
  async outputs(): Promise<Record<string, unknown>> {
    const value: unknown = JSON.parse(await this.run(["stack", "output", "--json", "--show-secrets"]));
    return isObject(value) ? value : {};
  }

  /** Ends what runs and removes everything. */
  close(): Promise<void> {
    return this.engine.close();
  }
}

/** How many steps there are of each type, without the engine's own. */
export function countTypes(steps: readonly PlannedStep[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of steps) {
    if (!type.startsWith("pulumi:")) counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}
