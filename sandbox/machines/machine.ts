import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../deadline";
import { readIfPresent, writePrivate } from "../files";
import { ProcessEndedError, startProcess, type Lifetime, type ProcessIdentity } from "../process";
import { cgroupVersion, machineRunner } from "./availability";
import { cgroupOf, removeCgroup } from "./cgroup";
import { run, systemEnvironment } from "./command";
import { SEED, VOLUME_LIST } from "./image-recipe";
import { takesOrders } from "./machine-shell";
import type { MachineSpec } from "./spec";

const BOOT = path.join(__dirname, "boot.sh");

/** Where the parts of a machine lie. */
export interface MachineFolder {
  folder: string;
  root: string;
  console: string;
  /** Written with the exit code when the machine ended by itself. */
  ended: string;
  /** Shown to cloud-init. */
  seed: string;
  /** Shown to the machine in /run/fleetwright. */
  shared: string;
  /** Not on the overlay: containers bring overlays of their own. */
  containerd: string;
  kubelet: string;
}

/** The folder of a machine below that of its hall. */
export function machineFolder(dir: string, id: string): MachineFolder {
  const folder = path.join(dir, "machines", id);
  return {
    folder,
    root: path.join(folder, "root"),
    console: path.join(folder, "console.log"),
    ended: path.join(folder, "ended"),
    seed: path.join(folder, "seed"),
    shared: path.join(folder, "shared"),
    containerd: path.join(folder, "containerd"),
    kubelet: path.join(folder, "kubelet"),
  };
}

/** What surrounds a machine. */
export interface MachineSurroundings {
  dir: string;
  /** The sandbox's short name. */
  key: string;
  image: string;
  networkNamespace: string;
  lifetime: Lifetime;
}

/** The arguments of systemd-nspawn. */
export function nspawnArguments(spec: MachineSpec, around: MachineSurroundings): string[] {
  const { root, seed, shared, containerd, kubelet } = machineFolder(around.dir, spec.id);
  return [
    `--directory=${root}`,
    `--machine=${machineName(around.key, spec.id)}`,
    `--hostname=${spec.hostname}`,
    "--quiet",
    "--boot",
    "--register=no",
    "--keep-unit",
    `--network-namespace-path=${around.networkNamespace}`,
    "--console=pipe",
    "--capability=all",
    "--system-call-filter=@known",
    "--resolv-conf=off",
    "--timezone=off",
    "--link-journal=no",
    `--bind-ro=${seed}:${SEED}`,
    `--bind-ro=${shared}:${path.dirname(VOLUME_LIST)}`,
    `--bind=${containerd}:/var/lib/containerd`,
    `--bind=${kubelet}:/var/lib/kubelet`,
  ];
}

/** Starts a machine's processes. Its namespace and volumes must be there. */
export async function bootMachine(spec: MachineSpec, around: MachineSurroundings): Promise<ProcessIdentity> {
  const places = machineFolder(around.dir, spec.id);
  const { folder } = places;
  for (const name of ["upper", "work"])
    await mkdir(path.join(folder, name), { recursive: true, mode: 0o755 });
  for (const place of [places.root, places.shared, places.containerd, places.kubelet]) {
    await mkdir(place, { recursive: true, mode: 0o755 });
  }
  await rm(places.ended, { force: true });
  await writeSeed(spec, places.seed);
  const started = await startProcess({
    name: `machine ${spec.id}`,
    command: await programPath("unshare"),
    args: [
      ...["--mount", "--propagation", "slave", "--", "sh", BOOT],
      ...[cgroupOf(around.key, spec.id), around.image, folder, machineRunner()],
      ...nspawnArguments(spec, around),
    ],
    env: {
      PATH: systemEnvironment().PATH ?? "",
      SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: cgroupVersion() === "v2" ? "1" : "0",
      // Its folder is locked by the hall; nspawn's own locks would stay behind.
      SYSTEMD_NSPAWN_LOCK: "0",
      // Only the settings of its own network: the others are the whole host's.
      SYSTEMD_NSPAWN_API_VFS_WRITABLE: "network",
    },
    logFile: places.console,
    lifetime: around.lifetime,
  });
  const { identity, ended } = started;
  const broken = new AbortController();
  void ended.then(async (end) => {
    const log = (await readIfPresent(places.console)) ?? "";
    broken.abort(new ProcessEndedError(`machine ${spec.id}`, end, places.console, log));
  });
  await waitFor(`machine ${spec.id} to start systemd (log: ${places.console})`, () => takesOrders(identity), {
    timeoutMs: 20_000,
    intervalMs: 10,
    signal: broken.signal,
  });
  return identity;
}

/** Writes what cloud-init reads at boot. That it acts on it once for an instance id is its own rule. */
async function writeSeed(spec: MachineSpec, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const meta = {
    "instance-id": spec.id,
    "local-hostname": spec.hostname,
    "public-keys": spec.authorizedKeys,
    "availability-zone": spec.zone,
    region: spec.region,
  };
  // JSON is YAML.
  await writePrivate(path.join(folder, "meta-data"), `${JSON.stringify(meta)}\n`);
  await writePrivate(path.join(folder, "user-data"), spec.userData ?? "");
}

/** Ends what is left of a machine at once: processes, control groups, and what nspawn keeps beside them. */
export async function removeMachineProcesses(key: string, id: string): Promise<void> {
  await removeCgroup(cgroupOf(key, id));
  // nspawn leaves it behind where /run is no file system of its own.
  await rmdir(`/run/systemd/nspawn/propagate/${machineName(key, id)}`).catch(() => {});
}

/** How a machine that does not run ended: switched off in order, or not. */
export async function endOf(dir: string, id: string): Promise<"stopped" | "crashed"> {
  return (await readIfPresent(machineFolder(dir, id).ended))?.trim() === "0" ? "stopped" : "crashed";
}

/** Writes the list of device nodes that a machine makes at boot, and makes those that are missing now. */
export async function writeVolumeList(dir: string, id: string, text: string): Promise<void> {
  const { shared } = machineFolder(dir, id);
  await mkdir(shared, { recursive: true });
  await writeFile(path.join(shared, path.basename(VOLUME_LIST)), text);
}

function machineName(key: string, id: string): string {
  return `${key}.${id}`;
}

async function programPath(name: string): Promise<string> {
  return (await run(["sh", "-c", 'command -v "$0"', name])).trim();
}
