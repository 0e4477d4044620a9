import { readIfPresent, writePrivateSync } from "../../lib/files";
import { listAt, numberAt, parseJson, textAt } from "../../lib/json";
import { layoutOf } from "./layout";
import type { Ports } from "./ports";
import type { ProcessIdentity } from "../../lib/process";

/** A process of a control plane as it is written down. */
export interface RecordedProcess extends ProcessIdentity {
  name: string;
  port: number;
  logFile: string;
}

/** What is known about a control plane between runs of our own program. */
export interface ControlPlaneRecord {
  name: string;
  /** Kept after a stop, so that the next start can have the same ones. */
  ports: Ports;
  /** Empty when stopped. */
  processes: RecordedProcess[];
}

/** Reads the record of a directory; undefined where no control plane was ever started. */
export async function readRecord(dir: string): Promise<ControlPlaneRecord | undefined> {
  const text = await readIfPresent(layoutOf(dir).record);
  return text === undefined ? undefined : parseRecord(text);
}

/** Writes the record of a directory. In one go, so that of two writes the later one wins. */
export function writeRecord(dir: string, record: ControlPlaneRecord): void {
  writePrivateSync(layoutOf(dir).record, `${JSON.stringify(record, undefined, 2)}\n`);
}

/** Reads a record's text; undefined where it is damaged. */
export function parseRecord(text: string): ControlPlaneRecord | undefined {
  const value = parseJson(text);
  const name = textAt(value, "name");
  const ports = parsePorts(value);
  if (name === undefined || ports === undefined) return undefined;
  return { name, ports, processes: listAt(value, "processes").flatMap((entry) => parseProcess(entry) ?? []) };
}

function parsePorts(value: unknown): Ports | undefined {
  const port = (name: keyof Ports): number => numberAt(value, "ports", name) ?? Number.NaN;
  const ports: Ports = {
    etcdClient: port("etcdClient"),
    etcdPeer: port("etcdPeer"),
    apiServer: port("apiServer"),
    controllerManager: port("controllerManager"),
    scheduler: port("scheduler"),
    kwok: port("kwok"),
  };
  return Object.values(ports).some(Number.isNaN) ? undefined : ports;
}

function parseProcess(value: unknown): RecordedProcess | undefined {
  const [name, logFile, started] = [
    textAt(value, "name"),
    textAt(value, "logFile"),
    textAt(value, "started"),
  ];
  const [pid, port] = [numberAt(value, "pid"), numberAt(value, "port")];
  if (name === undefined || logFile === undefined || started === undefined) return undefined;
  return pid === undefined || port === undefined ? undefined : { name, logFile, started, pid, port };
}
