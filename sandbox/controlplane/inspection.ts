import { resolve } from "node:path";
import { COMPONENTS, type ComponentName } from "./components";
import { stopInOrder } from "./process-group";
import { errorMessage } from "../../lib/failure";
import { readIfPresent } from "../../lib/files";
import { isReady, type HealthAccess } from "./health";
import { certificateFiles, layoutOf, type Layout } from "./layout";
import { isRunning, residentBytes } from "../../lib/process";
import { readRecord, writeRecord, type RecordedProcess } from "./record";
import { endpointOf } from "./startup";

/** The state of one component. */
export interface ComponentStatus {
  name: string;
  pid: number;
  port: number;
  logFile: string;
  running: boolean;
  ready: boolean;
  /** Why it is not ready. */
  problem?: string;
  residentBytes?: number;
}

/** The state of a control plane. */
export interface ControlPlaneStatus {
  name: string;
  dir: string;
  endpoint: string;
  kubeconfig: string;
  /** All of its components are running and ready. */
  ready: boolean;
  /** Empty if it was stopped. */
  components: ComponentStatus[];
}

/** The state of the control plane of a directory, whoever started it; undefined if there never was one. */
export async function inspectControlPlane(dir: string): Promise<ControlPlaneStatus | undefined> {
  const layout = layoutOf(resolve(dir));
  const record = await readRecord(layout.dir);
  if (record === undefined) return undefined;
  const access = await readHealthAccess(layout, record.ports);
  // They start at the same time, and are listed in one order whichever was first.
  const processes = COMPONENTS.flatMap((name) => record.processes.filter((entry) => entry.name === name));
  const unknown = record.processes.filter((entry) => !processes.includes(entry));
  const components = await Promise.all([...processes, ...unknown].map((entry) => statusOf(entry, access)));
  return {
    name: record.name,
    dir: layout.dir,
    endpoint: endpointOf(record.ports),
    kubeconfig: layout.adminKubeconfig,
    ready: components.length > 0 && components.every((component) => component.ready),
    components,
  };
}

/** Stops the control plane of a directory, whoever started it, and keeps its data. Nothing happens where none runs. */
export async function stopControlPlane(dir: string): Promise<void> {
  const layout = layoutOf(resolve(dir));
  const record = await readRecord(layout.dir);
  if (record === undefined) return;
  await stopInOrder(record.processes);
  writeRecord(layout.dir, { ...record, processes: [] });
}

async function statusOf(entry: RecordedProcess, access: HealthAccess | undefined): Promise<ComponentStatus> {
  const { name, pid, port, logFile } = entry;
  const running = isRunning(entry);
  const problem = running ? await problemOf(name, access) : "not running";
  const resident = residentBytes(entry);
  return {
    name,
    pid,
    port,
    logFile,
    running,
    ready: problem === undefined,
    ...(problem === undefined ? {} : { problem }),
    ...(resident === undefined ? {} : { residentBytes: resident }),
  };
}

async function problemOf(name: string, access: HealthAccess | undefined): Promise<string | undefined> {
  if (!isComponent(name)) return `this version knows no component ${name}`;
  if (access === undefined) return "its certificates are missing, so its health is unknown";
  try {
    const answer = await isReady(name, access);
    return answer === true ? undefined : answer || "not ready";
  } catch (error) {
    return errorMessage(error);
  }
}

async function readHealthAccess(
  layout: Layout,
  ports: HealthAccess["ports"],
): Promise<HealthAccess | undefined> {
  const client = certificateFiles(layout, "apiserver-etcd-client");
  const [authority, etcdAuthority, certificate, key] = await Promise.all([
    readIfPresent(certificateFiles(layout, "ca").certificate),
    readIfPresent(certificateFiles(layout, "etcd-ca").certificate),
    readIfPresent(client.certificate),
    readIfPresent(client.key),
  ]);
  if (
    authority === undefined ||
    etcdAuthority === undefined ||
    certificate === undefined ||
    key === undefined
  )
    return undefined;
  return { ports, authority, etcdAuthority, etcdClient: { certificate, key } };
}

function isComponent(name: string): name is ComponentName {
  return COMPONENTS.some((component) => component === name);
}
