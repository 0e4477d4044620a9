import { lstat, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import path from "node:path";
import {
  type ControlPlaneStatus,
  inspectControlPlane,
  startControlPlane,
  stopControlPlane,
} from "./controlplane";
import { type SandboxLayout, sandboxLayout } from "./environment";
import { errorCode, ExitCode, Failure } from "./failure";
import { elapsed, type Progress } from "./progress";
import { ensureTools, type ReadyTool, TOOL_SETS, withLock } from "./toolchain";

/** The context of every sandbox's kubeconfig; the dev stack names it, so that it reaches no other cluster. */
export const KUBE_CONTEXT = "fleetwright-sandbox";

/** The project that this file is part of. */
export const PROJECT = path.join(__dirname, "..");

/** How a sandbox is brought up. */
export interface UpOptions {
  /** Simulated nodes. @default 3 */
  nodes?: number;
  progress: Progress;
  signal: AbortSignal;
}

/** A whole cloud and control plane on this machine, kept in one folder of the project. */
export class Sandbox {
  readonly layout: SandboxLayout;

  constructor(name: string, project: string = PROJECT) {
    if (!/^[a-z0-9]([a-z0-9-]{0,29}[a-z0-9])?$/.test(name)) {
      throw new Failure(
        `"${name}" is no name for a sandbox. Use up to 31 small letters, digits and hyphens, such as --name blue.`,
        ExitCode.usage,
      );
    }
    this.layout = sandboxLayout(project, name);
  }

  /** Runs `work` while no other command changes this sandbox. */
  exclusively<T>(progress: Progress, work: () => Promise<T>): Promise<T> {
    return withLock(this.layout.lock, work, (holder) => {
      progress.note(` • waiting for another command on sandbox ${this.layout.name} (process ${holder})`);
    });
  }

  /** Gets the tools and lays them where a shell and the engine find them; starts nothing. */
  async prepare(options: { progress?: Progress; signal: AbortSignal }): Promise<void> {
    const tools = await ensureTools(TOOL_SETS.start, options);
    await mkdir(this.layout.folder, { recursive: true, mode: 0o700 });
    await this.layTools(tools);
  }

  /** Brings up what does not run yet; what runs stays as it is. */
  async up({ nodes = 3, progress, signal }: UpOptions): Promise<ControlPlaneStatus> {
    await this.prepare({ progress, signal });
    const before = await this.controlPlane();
    if (before?.ready === true) {
      progress.note(` ✓ control plane runs at ${before.endpoint}`);
      return before;
    }
    // A part of it may have died; the rest is stopped in order, so that all start from the same state.
    await stopControlPlane(this.layout.controlPlane);
    const start = Date.now();
    await startControlPlane({
      dir: this.layout.controlPlane,
      lifetime: "detached",
      name: KUBE_CONTEXT,
      nodes,
      signal,
      onStep: ({ name, state, elapsedMs }) => {
        if (state === "finished") progress.note(` ✓ ${name}`.padEnd(64) + ` ${elapsed(elapsedMs)}`);
      },
    });
    const after = await this.controlPlane();
    if (after?.ready !== true) throw new Failure(describeTrouble(this.layout, after));
    progress.note(
      ` ✓ control plane ready at ${after.endpoint}`.padEnd(64) + ` ${elapsed(Date.now() - start)}`,
    );
    return after;
  }

  /** What runs; undefined for a sandbox that never was. */
  controlPlane(): Promise<ControlPlaneStatus | undefined> {
    return inspectControlPlane(this.layout.controlPlane);
  }

  /** Stops everything and keeps its data. */
  async down(): Promise<void> {
    await stopControlPlane(this.layout.controlPlane);
  }

  /** Stops everything and forgets it: cluster, keys and Pulumi state. */
  async reset(): Promise<void> {
    await this.down();
    await rm(this.layout.folder, { recursive: true, force: true });
  }

  /** Whether it was ever brought up. */
  async exists(): Promise<boolean> {
    return lstat(this.layout.folder).then(
      () => true,
      () => false,
    );
  }

  /**
   * Lays the tools where a shell finds the programs and the engine its plugins. Plugins go to its own plugin folder: it
   * warns about every one that it finds on PATH.
   */
  private async layTools(tools: Readonly<Record<string, ReadyTool>>): Promise<void> {
    await Promise.all(
      Object.values(tools).map(async ({ name, version, path: target }) => {
        const plugin = /^pulumi-(resource|language)-(.+)$/.exec(name);
        const folder =
          plugin === null
            ? this.layout.bin
            : path.join(
                this.layout.pulumiHome,
                "plugins",
                `${plugin[1] ?? ""}-${plugin[2] ?? ""}-v${version}`,
              );
        await link(target, path.join(folder, name));
      }),
    );
    await mkdir(this.layout.pulumiState, { recursive: true, mode: 0o700 });
  }
}

/** The names of the sandboxes of a project. */
export async function sandboxNames(project: string = PROJECT): Promise<string[]> {
  const entries = await readdir(path.join(project, ".sandbox"), { withFileTypes: true }).catch(
    (error: unknown) => {
      if (errorCode(error) === "ENOENT") return [];
      throw error;
    },
  );
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Points a link at a target, at once even if it pointed elsewhere. */
async function link(target: string, at: string): Promise<void> {
  await mkdir(path.dirname(at), { recursive: true });
  if ((await readlink(at).catch(() => undefined)) === target) return;
  const temporary = `${at}.${process.pid}`;
  await rm(temporary, { force: true });
  await symlink(target, temporary);
  await rename(temporary, at);
}

function describeTrouble(layout: SandboxLayout, status: ControlPlaneStatus | undefined): string {
  const problems = (status?.components ?? [])
    .filter(({ ready }) => !ready)
    .map(({ name, problem, logFile }) => `  - ${name}: ${problem ?? "not ready"} (log: ${logFile})`);
  return `The control plane of sandbox ${layout.name} started but is not ready:\n${problems.join("\n")}`;
}
