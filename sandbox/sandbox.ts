import { lstat, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { ensureCloud, imagesOf, inspectCloud, openDoor, stopCloud, type RunningCloud } from "./cloud";
import {
  type ControlPlaneStatus,
  inspectControlPlane,
  startControlPlane,
  stopControlPlane,
} from "./controlplane";
import { type CloudPlace, quote, type SandboxLayout, sandboxLayout } from "./environment";
import { errorCode, ExitCode, Failure } from "./failure";
import { readIfPresent, writePrivate } from "./files";
import { isObject, parseJson } from "./json";
import { mergeKubeconfigs } from "./kubeconfig";
import { elapsed, type Progress } from "./progress";
import { installProviders, providersLine } from "./providers";
import { ensureTools, type ReadyTool, TOOL_SETS, withLock } from "./toolchain";
import { ensureWorkloadImages } from "./workload-images";

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
  private readonly tools = new Map<string, string>();

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
  async up(options: UpOptions): Promise<void> {
    const { progress } = options;
    await this.prepare(options);
    const providers = await installProviders(this.layout.pulumiHome, ["aws", "command", "tls"]);
    // Both are waited for, so that an error leaves nothing half started behind the caller's back.
    const [plane, cloud] = await Promise.allSettled([this.upControlPlane(options), this.upCloud(options)]);
    if (plane.status === "rejected") throw plane.reason;
    if (cloud.status === "rejected") throw cloud.reason;
    const { network } = cloud.value;
    await this.layDoors(network);
    if (network !== undefined) {
      // The engine is inside the sandbox's network and finds the control plane where the kubeconfig says.
      const place = { host: "127.0.0.1", port: Number(new URL(plane.value.endpoint).port) };
      const door = { listen: { side: "inside", ...place }, target: { side: "outside", ...place } } as const;
      await openDoor(cloud.value, "api-server", door);
    }
    await this.layKubeconfig();
    await progress.step("images of our own programs packed", async () => {
      const variables = await ensureWorkloadImages(imagesOf(this.layout.cloud));
      await writePrivate(this.layout.images, JSON.stringify(variables, undefined, 2));
    });
    progress.note(` ✓ ${providersLine(providers)}`);
  }

  /** Keeps the kubeconfig of a cluster that a stack built on machines, if it gives one. */
  async keepKubeconfig(built: string | undefined): Promise<void> {
    if (built === undefined) return;
    await writePrivate(this.layout.builtKubeconfig, built);
    await this.layKubeconfig();
  }

  private async layKubeconfig(): Promise<void> {
    const { builtKubeconfig, kubeconfig, mergedKubeconfig } = this.layout;
    const texts = await Promise.all([builtKubeconfig, kubeconfig].map(readIfPresent));
    await writePrivate(mergedKubeconfig, mergeKubeconfigs(texts.filter((text) => text !== undefined)));
  }

  private async upCloud({ progress, signal }: UpOptions): Promise<RunningCloud> {
    const runs = await this.cloud();
    const cloud =
      runs ??
      (await progress.step("cloud ready", () => ensureCloud(this.layout.cloud, { progress, signal })));
    if (runs !== undefined) progress.note(` ✓ cloud runs at ${cloud.endpoint}`);
    if (cloud.reason !== undefined) progress.note(` • no machines in the cloud: ${cloud.reason}`);
    return cloud;
  }

  private async upControlPlane({ nodes = 3, progress, signal }: UpOptions): Promise<ControlPlaneStatus> {
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

  /** The cloud, if it runs. */
  cloud(): Promise<RunningCloud | undefined> {
    return inspectCloud(this.layout.cloud);
  }

  /** What a stack finds here, if the cloud runs. */
  async place(): Promise<CloudPlace | undefined> {
    const cloud = await this.cloud();
    if (cloud === undefined) return undefined;
    const named = parseJson((await readIfPresent(this.layout.images)) ?? "{}");
    const images = Object.entries(isObject(named) ? named : {}).map(([name, value]) => [name, String(value)]);
    return {
      endpoint: cloud.endpoint,
      region: cloud.region,
      images: Object.fromEntries(images) as Record<string, string>,
    };
  }

  /** Stops everything and keeps its data. */
  async down(): Promise<void> {
    await Promise.all([stopControlPlane(this.layout.controlPlane), stopCloud(this.layout.cloud)]);
  }

  /** Stops everything and forgets it: cluster, keys and Pulumi state. */
  async reset(): Promise<void> {
    await this.down();
    await rm(this.layout.folder, { recursive: true, force: true });
  }

  /** Whether it was ever brought up. */
  exists(): Promise<boolean> {
    return exists(this.layout.folder);
  }

  /** Lays commands that run their tool inside the sandbox's network, where there is one. */
  private async layDoors(network: string | undefined): Promise<void> {
    const commands = [
      ...INSIDE.map((name) => [name, this.tools.get(name) ?? name] as const),
      ["in-sandbox", undefined] as const,
    ];
    await mkdir(this.layout.bin, { recursive: true });
    for (const [name, tool] of commands) {
      const file = path.join(this.layout.bin, name);
      const text = doorScript(network, tool);
      if (
        (await lstat(file).catch(() => undefined))?.isSymbolicLink() !== true &&
        (await readIfPresent(file)) === text
      )
        continue;
      const temporary = `${file}.${process.pid}`;
      await writeFile(temporary, text, { mode: 0o755 });
      await rename(temporary, file);
    }
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
        const place = path.join(folder, name);
        this.tools.set(name, target);
        // What runs inside the sandbox's network stays as it was laid when the network was made.
        if (INSIDE.some((tool) => tool === name) && (await exists(place))) return;
        await link(target, place);
      }),
    );
    await mkdir(this.layout.pulumiState, { recursive: true, mode: 0o700 });
  }
}

/** Tools that have to reach machines and load balancers. */
const INSIDE = ["pulumi", "kubectl"] as const;

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

/** A command that runs a tool, or what it is given, inside the sandbox's network while there is one. */
function doorScript(network: string | undefined, tool: string | undefined): string {
  const command = `${tool === undefined ? "" : `${quote(tool)} `}"$@"`;
  const inside =
    network === undefined
      ? []
      : [`if [ -e /run/netns/${network} ]; then exec ip netns exec ${network} ${command}; fi`];
  return [
    "#!/bin/sh",
    "# Machines and load balancers are reached from inside the sandbox's network only.",
    ...inside,
    `exec ${command}`,
    "",
  ].join("\n");
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
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
