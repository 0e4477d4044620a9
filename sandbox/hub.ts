// The hub of a sandbox: the API server of the product and, unless it is bare, its kinds and its controllers.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { errorMessage, Failure } from "../lib/failure";
import type { Progress } from "../lib/progress";
import {
  inspectControlPlane,
  startControlPlane,
  stopControlPlane,
  type ControlPlaneStatus,
} from "./controlplane";
import {
  HUB_CONTROLLERS,
  inspectHubControllers,
  startHubControllers,
  stopHubControllers,
} from "./hub-controllers";
import { KUBE_CONTEXT } from "./start-plan";

const KINDS = path.join(__dirname, "..", "api", "hub", "crds");

/** How a hub is started. */
export interface HubOptions {
  /** Whether its API server is to run alone. */
  bare: boolean;
  /** The program kubectl. */
  kubectl: string;
  progress: Progress;
  signal: AbortSignal;
}

/** The state of the hub in a folder, with its controllers among its components; undefined if there never was one. */
export async function inspectHub(dir: string): Promise<ControlPlaneStatus | undefined> {
  const [server, controllers] = await Promise.all([inspectControlPlane(dir), inspectHubControllers(dir)]);
  if (server === undefined || controllers === undefined) return server;
  const components = [...server.components, controllers];
  return { ...server, ready: server.ready && controllers.ready, components };
}

/** Whether the controllers are among the components of a hub. */
export function hasHubControllers({ components }: ControlPlaneStatus): boolean {
  return components.some(({ name }) => name === HUB_CONTROLLERS);
}

/** Starts what does not run of the hub in a folder, and stops the controllers of one that is to be bare. */
export async function ensureHub(dir: string, options: HubOptions): Promise<ControlPlaneStatus> {
  const { bare, kubectl, progress, signal } = options;
  const before = await inspectHub(dir);
  if (before?.ready === true && hasHubControllers(before) === !bare) {
    progress.note(` ✓ hub (running at ${before.endpoint})`);
    return before;
  }
  await stopHubControllers(dir);
  if ((await inspectControlPlane(dir))?.ready !== true) {
    // Some of it may have died; the rest is stopped in order, so that all start from the same state.
    await stopControlPlane(dir);
    const name = `${KUBE_CONTEXT}-hub`;
    await startControlPlane({ server: "hub-apiserver", dir, lifetime: "detached", name, progress, signal });
  }
  if (!bare) {
    const kubeconfig = (await inspectControlPlane(dir))?.kubeconfig ?? "";
    await progress.step("kinds of the hub", () => installKinds(kubectl, kubeconfig, signal));
    await startHubControllers(dir, { progress, signal });
  }
  const after = await inspectHub(dir);
  if (after === undefined) throw new Failure(`The record of the hub in ${dir} is gone.`);
  return after;
}

/** Stops the hub in a folder, its controllers first, and keeps its data. */
export async function stopHub(dir: string): Promise<void> {
  await stopHubControllers(dir);
  await stopControlPlane(dir);
}

/** Has the API server serve the kinds as they are in this checkout. */
async function installKinds(kubectl: string, kubeconfig: string, signal: AbortSignal): Promise<void> {
  const options = { env: { KUBECONFIG: kubeconfig, HOME: path.dirname(kubeconfig) }, signal };
  const run = promisify(execFile);
  try {
    await run(kubectl, ["apply", "--server-side", "--force-conflicts", "-f", KINDS], options);
    await run(kubectl, ["wait", "--for=condition=Established", "--timeout=60s", "-f", KINDS], options);
  } catch (error) {
    throw new Failure(`The kinds of the hub (${KINDS}) cannot be applied: ${errorMessage(error)}`);
  }
}
