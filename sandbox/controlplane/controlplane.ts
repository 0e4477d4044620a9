// Starts and stops a control plane on this machine: etcd, API server, controller manager, scheduler, simulated nodes.
import { mkdir, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Failure } from "../../lib/failure";
import { ApiClient } from "./api";
import type { CertifiedKey } from "./certificate";
import { portOf, type ComponentName } from "./components";
import { ProcessGroup, type ProcessGroupMember } from "./process-group";
import { writePrivate } from "../../lib/files";
import { renderKubeconfig } from "./kubeconfig";
import { certificateFiles, kubeconfigFile, layoutOf, type Layout } from "./layout";
import { addNodes, waitForNodes, type NodeShape } from "./nodes";
import { planOf, type ControlPlaneOptions, type Plan } from "./options";
import { claim, keepOnlyLogs, makeTemporaryDirectory, release, sweepTemporaryDirectories } from "./ownership";
import { clientCertificate, type Pki } from "./pki";
import { choosePorts, lostPort, type Ports } from "./ports";
import { isRunning, ProcessEndedError } from "../../lib/process";
import { readRecord, writeRecord, type RecordedProcess } from "./record";
import { bringUp, endpointOf, prepareFiles, writeKubeconfigs } from "./startup";
import { silentProgress } from "../../lib/progress";
import { findTools } from "./tools";

const PORT_ATTEMPTS = 4;

/** A control plane that was started by this process. */
export interface ControlPlane {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly endpoint: string;
  readonly dir: string;
  /** Path of the certificate of the authority that signs servers and clients. */
  readonly caCertificate: string;
  readonly processes: readonly RecordedProcess[];
  /** Adds simulated nodes and waits until they can take pods. Returns their names. */
  addNodes(count: number, shape?: NodeShape): Promise<string[]>;
  /** Writes a kubeconfig for any user and groups, to test what an identity may do. Returns its path. */
  kubeconfigFor(user: string, groups?: readonly string[]): Promise<string>;
  /** A client certificate for any user and groups. */
  credentialsFor(user: string, groups?: readonly string[]): Promise<CertifiedKey>;
  /** Stops everything and removes the directory if it was a temporary one. May be called twice. */
  stop(): Promise<void>;
}

/** Starts a control plane and waits until it can be used. If that fails, nothing of it stays but logs. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const plan = planOf(options);
  const { progress = silentProgress } = options;
  // The hub's API server starts an etcd of its own, which is no component then.
  const tools = await findTools(new Set([...plan.components, "etcd"]), options.tools, options.signal);
  const temporary = options.dir === undefined;
  const [dir] = await Promise.all([
    options.dir === undefined ? makeTemporaryDirectory() : resolve(options.dir),
    sweepTemporaryDirectories(),
  ]);
  const layout = layoutOf(dir);
  await takeDirectory(layout);
  const leave = async (): Promise<void> => {
    await (temporary ? rm(dir, { recursive: true, force: true, maxRetries: 3 }) : release(dir));
  };
  try {
    const pki = await progress.step("certificates", () => prepareFiles(layout, options.jwt));
    const started = await startOnFreePorts({ layout, plan, pki, tools, options });
    // From here the record protects a detached one; an owned one stays this process's own.
    if (plan.lifetime === "detached") await release(dir);
    return handle(layout, plan, pki, started, leave);
  } catch (error) {
    await (temporary ? keepOnlyLogs(dir) : release(dir));
    throw error;
  }
}

interface Attempt {
  layout: Layout;
  plan: Plan;
  pki: Pki;
  tools: ReadonlyMap<ComponentName, string>;
  options: ControlPlaneOptions;
}

interface Started {
  ports: Ports;
  processes: ProcessGroup;
}

async function takeDirectory({ dir }: Layout): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await claim(dir);
  const running = ((await readRecord(dir))?.processes ?? []).filter(isRunning);
  if (running.length === 0) return;
  await release(dir);
  throw new Failure(
    `A control plane is already running in ${dir}: ${running.map(({ name, pid }) => `${name} (process ${pid})`).join(", ")}. ` +
      `Stop it with stopControlPlane(${JSON.stringify(dir)}) or give another directory.`,
  );
}

// A port that was free may be taken before the component listens; then everything starts again on other ports.
async function startOnFreePorts(attempt: Attempt): Promise<Started> {
  let wanted: Partial<Ports> = (await readRecord(attempt.layout.dir))?.ports ?? {};
  for (let count = 1; ; count++) {
    try {
      return await startOnce(attempt, await choosePorts(wanted));
    } catch (error) {
      const again = error instanceof ProcessEndedError && lostPort(error.log);
      if (!again || count === PORT_ATTEMPTS) throw error;
      wanted = {};
    }
  }
}

async function startOnce({ layout, plan, pki, tools, options }: Attempt, ports: Ports): Promise<Started> {
  let ready = false;
  const remember = (members: readonly ProcessGroupMember[]): void => {
    writeRecord(layout.dir, { name: plan.name, ports, processes: recorded(members, ports) });
  };
  const processes = new ProcessGroup({
    // Written down at once: what a killed start leaves behind can then be found.
    onStart: () => remember(processes.members),
    onEnd: (error) => {
      if (ready) options.onEnd?.(error);
    },
  });
  const signal = AbortSignal.any([
    processes.broken,
    ...(options.signal === undefined ? [] : [options.signal]),
  ]);
  try {
    await writeKubeconfigs(layout, ports, pki, plan.name);
    await bringUp({
      plan,
      layout,
      ports,
      pki,
      tools,
      processes,
      progress: options.progress ?? silentProgress,
      signal,
    });
    signal.throwIfAborted();
    ready = true;
    return { ports, processes };
  } catch (error) {
    await processes.stop();
    remember([]);
    throw error;
  }
}

function recorded(members: readonly ProcessGroupMember[], ports: Ports): RecordedProcess[] {
  return members.map((member) => ({ ...member, port: portOf(member.name, ports) }));
}

function handle(
  layout: Layout,
  plan: Plan,
  pki: Pki,
  { ports, processes }: Started,
  leave: () => Promise<void>,
): ControlPlane {
  const endpoint = endpointOf(ports);
  const authority = pki.authorities.ca;
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await processes.stop();
    writeRecord(layout.dir, { name: plan.name, ports, processes: [] });
    await leave();
  };
  return {
    kubeconfig: layout.adminKubeconfig,
    endpoint,
    dir: layout.dir,
    caCertificate: certificateFiles(layout, "ca").certificate,
    processes: recorded(processes.members, ports),
    async addNodes(count, shape) {
      if (!plan.components.has("kwok")) {
        throw new Failure(
          "Nodes are simulated by kwok, which was not started: pass components: { kwok: true } to startControlPlane.",
        );
      }
      const api = new ApiClient({ endpoint, authority: authority.certificate, client: pki.leaves.admin });
      try {
        const names = await addNodes(api, count, shape);
        await waitForNodes(api, count, { timeoutMs: plan.timeoutMs, signal: processes.broken });
        return names;
      } finally {
        api.close();
      }
    },
    credentialsFor: (user, groups = []) => clientCertificate(authority, user, groups),
    async kubeconfigFor(user, groups = []) {
      const client = await clientCertificate(authority, user, groups);
      const path = kubeconfigFile(layout, `user-${user.replace(/[^A-Za-z0-9._-]+/g, "-")}`);
      const content = { name: plan.name, user, endpoint, authority: authority.certificate, client };
      await writePrivate(path, renderKubeconfig(content));
      return path;
    },
    stop: () => (stopped ??= stop()),
  };
}
