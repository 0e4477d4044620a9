import { ensureMoto } from "./aws/environment";
import { allEnded } from "../lib/all-ended";
import { errorMessage, Failure } from "../lib/failure";
import { countSteps, type Progress } from "../lib/progress";
import { MachineHost } from "./machines";
import { ensureImage } from "./machines/image";
import { ensurePauseImage } from "./machines/images";
import { builder, machineFacts, missingWork } from "./host";
import { ensureImageNode } from "./node-release";
import { describePlan, type MachinePlan, planMachines, toolsFor } from "./start-plan";
import { ensureSystemPackages, ensureTools, requirePrerequisites } from "./toolchain";

// What a start does before anything runs: it says what is missing, installs system packages, and makes tools and images.

/** What is to be prepared. */
export interface PreparationOptions {
  /** Whether system packages may be installed. */
  mayInstall: boolean;
  /** What the stack needs, once it is known whether there are machines. */
  controlPlane: (machines: boolean) => boolean;
  progress: Progress;
  signal: AbortSignal;
}

/** Whether machines can run now and, where they cannot, why not. */
export type Machines = Extract<MachinePlan, { kind: "ready" | "unavailable" }>;

/** Prepares a start; everything that it makes is kept in the cache. */
export async function prepareHost(options: PreparationOptions): Promise<Machines> {
  const { progress, mayInstall, controlPlane } = options;
  await requirePrerequisites({ python: true });
  const { plan, work } = await progress.step("checking system packages and tools", async () => {
    const found = planMachines(await machineFacts(mayInstall));
    const expected = found.kind !== "unavailable";
    const tools = toolsFor({ machines: expected, controlPlane: controlPlane(expected) });
    return { plan: found, work: await missingWork(tools, expected) };
  });
  for (const line of describePlan(plan, work, await builder())) progress.note(line);
  const machines = plan.kind === "install" ? await installPackages(progress) : plan;
  await makeMissing(machines.kind === "ready", options);
  return machines;
}

/** Installs system packages. If that fails, the start goes on without machines. */
async function installPackages(progress: Progress): Promise<Machines> {
  try {
    await ensureSystemPackages(progress);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    progress.note(` • no machines, so nodes will be simulated. ${errorMessage(error)}`);
    const [reason = ""] = errorMessage(error).split("\n");
    return { kind: "unavailable", reason, remedy: "npm run tools -- system --install && npm start" };
  }
  const availability = MachineHost.available();
  return availability.ok
    ? { kind: "ready" }
    : { kind: "unavailable", reason: availability.reason, remedy: "npm start" };
}

/** Makes tools, the machines' image and moto side by side, counted together. */
async function makeMissing(machines: boolean, options: PreparationOptions): Promise<void> {
  const tools = toolsFor({ machines, controlPlane: options.controlPlane(machines) });
  const work = await missingWork(tools, machines);
  if (work.length === 0) return;
  const progress = countSteps(options.progress, work.length);
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const parts = [
    // First, since it is quick and fails without a C compiler.
    ...(machines ? [ensurePauseImage(), ensureImage(progress)] : []),
    ensureMoto({ progress }),
    ensureImageNode(progress),
    ensureTools(tools, { progress, signal }),
  ];
  // One that fails ends the others, so that nobody waits half an hour for its message.
  for (const part of parts) void part.catch(() => failed.abort());
  await allEnded(parts);
}
