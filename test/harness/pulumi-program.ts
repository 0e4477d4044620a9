import { readFile, writeFile } from "node:fs/promises";
import { dump, load } from "js-yaml";
import { isObject } from "../../lib/json";
import type { Engine, Outcome, Running } from "./engine";

/** A change that a preview shows. */
export interface PlannedStep {
  readonly op: string;
  readonly type: string;
  readonly name: string;
}

/** A program with one stack, and an engine of its own that runs it. */
export class PulumiProgram {
  constructor(
    readonly engine: Engine,
    readonly folder: string,
    /** The file with the stack's settings. */
    private readonly settingsFile: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** Changes the stack's settings, as a person does who edits the file. */
  async configure(change: (config: Record<string, unknown>) => void): Promise<void> {
    const found: unknown = load(await readFile(this.settingsFile, "utf8").catch(() => "{}"));
    const settings = isObject(found) ? found : {};
    const config = isObject(settings.config) ? settings.config : {};
    change(config);
    await writeFile(this.settingsFile, dump({ ...settings, config }));
  }

  /** Runs `pulumi`; fails unless it succeeds. Gives what it printed. */
  run(args: readonly string[]): Promise<string> {
    return this.engine.expect(args, this.folder, this.environment);
  }

  /** Runs `pulumi` however it ends. */
  attempt(args: readonly string[]): Promise<Outcome> {
    return this.engine.pulumi(args, this.folder, this.environment);
  }

  /** Starts `pulumi` and does not wait for it. */
  start(args: readonly string[]): Running {
    return this.engine.start(args, this.folder, this.environment);
  }

  /** Starts another program in the stack's folder, as a person does in the shell beside. */
  spawn(argv: readonly string[]): Running {
    return this.engine.spawn(argv, this.folder, this.environment);
  }

  /** What an update would do. */
  async preview(...options: string[]): Promise<PlannedStep[]> {
    return plannedSteps(await this.previewed(...options));
  }

  /** The same as the engine tells it, with all that is known of each resource. */
  async previewed(...options: string[]): Promise<unknown> {
    return JSON.parse(await this.run(["preview", "--json", ...options]));
  }

  /** Runs an operation and counts what it did, by kind. */
  async changes(
    operation: "up" | "refresh" | "destroy",
    ...options: string[]
  ): Promise<Record<string, number>> {
    const { code, stdout, stderr } = await this.attempt([
      operation,
      "--yes",
      "--skip-preview",
      "--json",
      ...options,
    ]);
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

/** The steps that the engine reported of a preview. */
export function plannedSteps(digest: unknown): PlannedStep[] {
  const steps = isObject(digest) && Array.isArray(digest.steps) ? (digest.steps as unknown[]) : [];
  return steps.filter(isObject).map(({ op, urn }) => {
    const [, , types = "", name = ""] = String(urn).split("::");
    return { op: String(op), type: types.split("$").at(-1) ?? "", name };
  });
}

/** How many steps there are of each type, without the engine's own. */
export function countTypes(steps: readonly PlannedStep[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of steps) {
    if (!type.startsWith("pulumi:")) counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}
