// Small clusters with simulated nodes that a stack makes members of the sandbox's hub: each a control plane of its own.
import { readdir } from "node:fs/promises";
import path from "node:path";
import { allEnded } from "../lib/all-ended";
import { errorCode, Failure } from "../lib/failure";
import type { Progress } from "../lib/progress";
import {
  inspectControlPlane,
  startControlPlane,
  stopControlPlane,
  type ControlPlaneStatus,
} from "./controlplane";
import { KUBE_CONTEXT } from "./start-plan";

const NODES = 2;

/** The states of the members in a folder, by their names. */
export async function inspectMembers(folder: string): Promise<Record<string, ControlPlaneStatus>> {
  const found = await Promise.all(
    (await namesIn(folder)).map(
      async (name) => [name, await inspectControlPlane(path.join(folder, name))] as const,
    ),
  );
  return Object.fromEntries(
    found.flatMap(([name, status]) => (status === undefined ? [] : [[name, status]])),
  );
}

/** Starts what does not run of these members, one after another: each takes all cores for a while. */
export async function ensureMembers(
  folder: string,
  names: readonly string[],
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<void> {
  for (const name of names) {
    const dir = path.join(folder, name);
    const before = await inspectControlPlane(dir);
    if (before?.ready === true) {
      progress.note(` ✓ member ${name} (running at ${before.endpoint})`);
      continue;
    }
    await stopControlPlane(dir);
    await progress.step(`member ${name}`, async (update) => {
      const { endpoint } = await startControlPlane({
        dir,
        lifetime: "detached",
        name: `${KUBE_CONTEXT}-${name}`,
        nodes: NODES,
        signal,
      });
      update(`ready at ${endpoint}`);
    });
    if ((await inspectControlPlane(dir))?.ready !== true)
      throw new Failure(`The member ${name} started but is not ready (its logs: ${path.join(dir, "logs")}).`);
  }
}

/** Stops all members in a folder and keeps their data. */
export async function stopMembers(folder: string): Promise<void> {
  await allEnded((await namesIn(folder)).map((name) => stopControlPlane(path.join(folder, name))));
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
