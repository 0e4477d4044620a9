import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { LEASES, type Resource } from "../../controllers/runtime";
import type { ControlPlaneOptions } from "../../sandbox/controlplane";
import { ExitCode, Failure } from "../../sandbox/failure";
import { startWorld, type CoordinatorWorld } from "../../test/coordinator";
import { ensureReference } from "../reference";
import { Contenders } from "./contender";

/** Where a benchmark of the coordinator plays: a real API server with our kinds, and both contenders. */
export interface Stage {
  world: CoordinatorWorld;
  contenders: Contenders;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** Sets the stage, lets the benchmark play, and clears everything away. */
export async function onStage<T>(
  options: ControlPlaneOptions,
  signal: AbortSignal,
  say: (line: string) => void,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  const reference = await ensureReference(signal);
  const folder = await mkdtemp(path.join(os.tmpdir(), "fleetwright-bench-"));
  let world: CoordinatorWorld | undefined;
  try {
    say("starting the control plane");
    world = await startWorld({ signal, durable: false, ...options });
    const contenders = await Contenders.prepare(folder, reference, world.plane.kubeconfig);
    return await play({ world, contenders, signal, say });
  } catch (error) {
    throw signal.aborted ? new Failure("Interrupted.", ExitCode.interrupted) : error;
  } finally {
    await world?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Does something to many, so many at once. */
export async function forEach<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  atOnce = 16,
): Promise<void> {
  const waiting = [...items].reverse();
  const worker = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

/** Makes an object of one of our kinds. */
export async function declare(
  { world }: Stage,
  { plural, kind }: Resource,
  name: string,
  spec: object,
): Promise<void> {
  const body = { apiVersion: "fleetwright.dev/v1", kind, metadata: { name }, spec };
  await world.direct.request({ method: "POST", path: `/apis/fleetwright.dev/v1/${plural}`, body });
}

/** Takes an object of one of our kinds away, whoever held it back. */
export async function retract({ world }: Stage, resource: Resource, name: string): Promise<void> {
  await world.direct.patch(resource, { name }, { metadata: { finalizers: null } }).catch(() => {});
  await world.direct.delete(resource, { name }).catch(() => {});
}

/** Frees the lease of a coordinator that was killed, or the next would wait until it runs out. */
export async function freeLease({ world }: Stage): Promise<void> {
  await world.direct
    .delete(LEASES, { namespace: world.home, name: "fleetwright-coordinator" })
    .catch(() => {});
}
