import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { LEASES, type Resource } from "../../controllers/runtime";
import type { ControlPlaneOptions } from "../../sandbox/controlplane";
import { ExitCode, Failure } from "../../lib/failure";
import { startCoordinatorFixture, type CoordinatorFixture } from "../../test/harness/coordinator";
import { ensureReference } from "../reference";
import { Contenders } from "./contender";

/** What a benchmark of the coordinator runs on: a real API server with our kinds, and both contenders. */
export interface BenchmarkFixture {
  cluster: CoordinatorFixture;
  contenders: Contenders;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** Starts the control plane, runs the benchmark on it, and removes everything. */
export async function withBenchmarkFixture<T>(
  options: ControlPlaneOptions,
  signal: AbortSignal,
  say: (line: string) => void,
  run: (fixture: BenchmarkFixture) => Promise<T>,
): Promise<T> {
  const reference = await ensureReference(signal);
  const folder = await mkdtemp(path.join(os.tmpdir(), "fleetwright-bench-"));
  let cluster: CoordinatorFixture | undefined;
  try {
    say("starting the control plane");
    cluster = await startCoordinatorFixture({ signal, durable: false, ...options });
    const contenders = await Contenders.prepare(folder, reference, cluster.plane.kubeconfig);
    return await run({ cluster, contenders, signal, say });
  } catch (error) {
    throw signal.aborted ? new Failure("Interrupted.", ExitCode.interrupted) : error;
  } finally {
    await cluster?.close();
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
  { cluster }: BenchmarkFixture,
  { plural, kind }: Resource,
  name: string,
  spec: object,
): Promise<void> {
  const body = { apiVersion: "fleetwright.dev/v1", kind, metadata: { name }, spec };
  await cluster.direct.request({ method: "POST", path: `/apis/fleetwright.dev/v1/${plural}`, body });
}

/** Takes an object of one of our kinds away, whoever held it back. */
export async function retract(
  { cluster }: BenchmarkFixture,
  resource: Resource,
  name: string,
): Promise<void> {
  await cluster.direct.patch(resource, { name }, { metadata: { finalizers: null } }).catch(() => {});
  await cluster.direct.delete(resource, { name }).catch(() => {});
}

/** Frees the lease of a coordinator that was killed, or the next would wait until it runs out. */
export async function freeLease({ cluster }: BenchmarkFixture): Promise<void> {
  await cluster.direct
    .delete(LEASES, { namespace: cluster.home, name: "fleetwright-coordinator" })
    .catch(() => {});
}
