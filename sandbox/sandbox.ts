// One sandbox: its folder, control plane and cloud; brought up, stopped, reset.
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { ensureCloud, forwardPort, imagesOf, inspectCloud, stopCloud, type RunningCloud } from "./cloud";
import {
  type ControlPlaneStatus,
  inspectControlPlane,
  startControlPlane,
  stopControlPlane,
} from "./controlplane";
import type { CloudAccess } from "./environment";
import { allEnded } from "../lib/all-ended";
import { errorCode, ExitCode, Failure } from "../lib/failure";
import { readIfPresent, writePrivate } from "../lib/files";
import { isObject, parseJson } from "../lib/json";
import { LOOPBACK } from "../lib/port";
import type { Progress } from "../lib/progress";
import { ensureHub, inspectHub, stopHub } from "./hub";
import { mergeKubeconfigs } from "./kubeconfig";
import { type SandboxLayout, sandboxLayout } from "./layout";
import { MachineHost } from "./machines";
import { ensureMembers, inspectMembers, stopMembers } from "./members";
import { installProviders, providersLine } from "./providers";
import { COMMAND_LINE_TOOLS, KUBE_CONTEXT } from "./start-plan";
import { linkTools, writeWrapperScripts } from "./tool-links";
import { ensureTools, TOOL_SETS, withLock } from "./toolchain";
import { ensureWorkloadImages } from "./workload-images";

/** The project that this file is part of. */
export const PROJECT = path.join(__dirname, "..");

/** How a sandbox is brought up. */
export interface UpOptions {
  /** Starts the sandbox's own control plane, with at least this many simulated nodes. Without it none is started. */
  controlPlane?: { nodes: number };
  /** Starts the hub, and clusters with simulated nodes of these names, which a stack makes its members. */
  members?: readonly string[];
  progress: Progress;
  signal: AbortSignal;
}

/** A cloud on this machine and, if wanted, a control plane with simulated nodes, kept in one folder of the project. */
export class Sandbox {
  readonly layout: SandboxLayout;

  constructor(name: string, project: string = PROJECT) {
    if (!/^[a-z0-9]([a-z0-9-]{0,29}[a-z0-9])?$/.test(name)) {
      throw new Failure(
        `Invalid sandbox name "${name}": use up to 31 lowercase letters, digits and hyphens, such as --name blue.`,
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

  /** Gets the command line tools and puts them where a shell and the engine find them; starts nothing. */
  async prepare(options: { progress?: Progress; signal: AbortSignal }) {
    const tools = await ensureTools(COMMAND_LINE_TOOLS, options);
    await mkdir(this.layout.folder, { recursive: true, mode: 0o700 });
    await linkTools(this.layout, tools);
    return tools;
  }

  /** Brings up what does not run yet; what runs stays, except a cloud without machines where there can be some now. */
  async up(options: UpOptions): Promise<void> {
    const { progress } = options;
    const tools = await this.prepare(options);
    await progress.step("providers", async (update) => {
      update(providersLine(await installProviders(this.layout.pulumiHome, ["aws", "command", "tls"])));
    });
    const [plane, cloud] = await allEnded([this.upControlPlane(options), this.upCloud(options)]);
    const { network } = cloud;
    await writeWrapperScripts(this.layout, tools, network);
    if (network !== undefined && plane !== undefined)
      await forwardApiServer(cloud, "api-server", plane.endpoint);
    if (options.members !== undefined) {
      await this.upHub({ ...options, bare: false });
      await ensureMembers(this.layout.members, options.members, options);
    }
    await this.forwardFleet();
    await this.writeMergedKubeconfig();
    await progress.step("images of our own programs", async () => {
      const variables = await ensureWorkloadImages(imagesOf(this.layout.cloud));
      await writePrivate(this.layout.images, JSON.stringify(variables, undefined, 2));
    });
  }

  /** Keeps the kubeconfig of a cluster that a stack built on machines, if it has one. */
  async keepKubeconfig(built: string | undefined): Promise<void> {
    if (built === undefined) return;
    await writePrivate(this.layout.builtKubeconfig, built);
    await this.writeMergedKubeconfig();
  }

  /** The sandbox's own control plane; undefined if it never had one. */
  controlPlane(): Promise<ControlPlaneStatus | undefined> {
    return inspectControlPlane(this.layout.controlPlane);
  }

  /** The hub's API server and, if they were started, its controllers; undefined if it never had one. */
  hub(): Promise<ControlPlaneStatus | undefined> {
    return inspectHub(this.layout.hub);
  }

  /** Starts what does not run of the hub: its API server and, unless it is to be bare, its kinds and controllers. */
  async upHub(
    options: Omit<UpOptions, "controlPlane" | "members"> & { bare: boolean },
  ): Promise<ControlPlaneStatus> {
    const tools = await ensureTools(TOOL_SETS.hub, options);
    await linkTools(this.layout, tools);
    const status = await ensureHub(this.layout.hub, { ...options, kubectl: tools.kubectl.path });
    if (!status.ready) throw new Failure(describeNotReady("hub", this.layout, status));
    await this.forwardFleet();
    return status;
  }

  /** The clusters that stacks made members of the hub, by their names. */
  members(): Promise<Record<string, ControlPlaneStatus>> {
    return inspectMembers(this.layout.members);
  }

  /** Stops the hub's controllers and API server, and keeps its data. */
  downHub(): Promise<void> {
    return stopHub(this.layout.hub);
  }

  /** The cloud, if it runs. */
  cloud(): Promise<RunningCloud | undefined> {
    return inspectCloud(this.layout.cloud);
  }

  /** How a stack reaches the cloud, if it runs. */
  async cloudAccess(): Promise<CloudAccess | undefined> {
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
    await allEnded([
      stopControlPlane(this.layout.controlPlane),
      // The controllers first: they would report members that go as lost.
      this.downHub().then(() => stopMembers(this.layout.members)),
      stopCloud(this.layout.cloud),
    ]);
  }

  /** Stops everything and deletes it: cluster, keys and Pulumi state. */
  async reset(): Promise<void> {
    await this.down();
    await rm(this.layout.folder, { recursive: true, force: true });
  }

  /** Whether it was ever brought up. */
  exists(): Promise<boolean> {
    return lstat(this.layout.folder).then(
      () => true,
      () => false,
    );
  }

  private async writeMergedKubeconfig(): Promise<void> {
    const { builtKubeconfig, kubeconfig, mergedKubeconfig } = this.layout;
    const [hub, members] = await Promise.all([this.hub(), this.members()]);
    const fleet = [...(hub === undefined ? [] : [hub]), ...Object.values(members)];
    const files = [builtKubeconfig, kubeconfig, ...fleet.map((plane) => plane.kubeconfig)];
    const texts = await Promise.all(files.map(readIfPresent));
    await writePrivate(mergedKubeconfig, mergeKubeconfigs(texts.filter((text) => text !== undefined)));
  }

  /** Where there are machines, kubectl runs inside their network, and finds hub and members there at the kubeconfig's address. */
  private async forwardFleet(): Promise<void> {
    const [cloud, hub, members] = await Promise.all([this.cloud(), this.hub(), this.members()]);
    if (cloud?.network === undefined) return;
    for (const [name, plane] of Object.entries({ ...members, hub }))
      if (plane?.components.some(({ running }) => running) === true)
        await forwardApiServer(cloud, `hub-and-members-${name}`, plane.endpoint);
  }

  private async upCloud({ progress, signal }: UpOptions): Promise<RunningCloud> {
    const running = await this.cloud();
    if (running !== undefined && !lacksMachines(running, MachineHost.available().ok)) {
      progress.note(` ✓ cloud (running at ${running.endpoint})`);
      return running;
    }
    if (running !== undefined)
      await progress.step("stopping the cloud, to start it again with machines", () =>
        stopCloud(this.layout.cloud),
      );
    return progress.step("cloud", async (update) => {
      const cloud = await ensureCloud(this.layout.cloud, { progress, signal });
      update(`ready at ${cloud.endpoint}`);
      return cloud;
    });
  }

  private async upControlPlane(options: UpOptions): Promise<ControlPlaneStatus | undefined> {
    const { controlPlane, progress, signal } = options;
    const before = await this.controlPlane();
    if (before?.ready === true) {
      progress.note(` ✓ control plane (running at ${before.endpoint})`);
      return before;
    }
    if (controlPlane === undefined) return undefined;
    // Some of it may have died; the rest is stopped in order, so that all start from the same state.
    await stopControlPlane(this.layout.controlPlane);
    await progress.step("control plane", async (update) => {
      const { endpoint } = await startControlPlane({
        dir: this.layout.controlPlane,
        lifetime: "detached",
        name: KUBE_CONTEXT,
        nodes: controlPlane.nodes,
        signal,
        progress,
      });
      update(`ready at ${endpoint}`);
    });
    const after = await this.controlPlane();
    if (after?.ready !== true) throw new Failure(describeNotReady("control plane", this.layout, after));
    return after;
  }
}

/** Whether a running cloud is to be restarted: it was started where machines could not run, and now they can. */
export function lacksMachines(cloud: Pick<RunningCloud, "network">, machinesCanRun: boolean): boolean {
  return cloud.network === undefined && machinesCanRun;
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

/** The engine runs inside the sandbox's network and finds the control plane there at the kubeconfig's address. */
async function forwardApiServer(cloud: RunningCloud, id: string, endpoint: string): Promise<void> {
  const address = { host: LOOPBACK, port: Number(new URL(endpoint).port) };
  await forwardPort(cloud, id, {
    listen: { side: "inside", ...address },
    target: { side: "outside", ...address },
  });
}

function describeNotReady(
  what: string,
  layout: SandboxLayout,
  status: ControlPlaneStatus | undefined,
): string {
  const components = (status?.components ?? [])
    .filter(({ ready }) => !ready)
    .map(({ name, problem, logFile }) => `  - ${name}: ${problem ?? "not ready"} (log: ${logFile})`);
  return `The ${what} of sandbox ${layout.name} started but is not ready:\n${components.join("\n")}`;
}
